// The sentences of the page, which the document holds beside the script: the build puts a number of them where
// the source has T("…", "…"), and what fills the gaps of a template (sentences.mjs).

import { fill, type Text } from "./text";

let held: readonly Text[] | undefined;

function read(): readonly Text[] {
  const pairs: [string, string][] = JSON.parse(document.getElementById("clockhands-words")!.textContent!);
  return pairs.map(([en, zh]) => ({ en, zh }));
}

export function __said(place: number, ...gaps: readonly unknown[]): Text {
  held ??= read();
  return gaps.length ? fill(held[place]!, ...gaps.map(String)) : held[place]!;
}
