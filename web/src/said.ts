// The sentences of the page, which the document holds beside the script: the build puts a number of them where
// the source has T("…", "…"), and what fills the gaps of a template (sentences.mjs).

import { fill, type Text } from "./text";

let held: readonly Text[] | undefined;

function read(): readonly Text[] {
  const [en, zh]: string[][] = JSON.parse(document.getElementById("clockhands-words")!.textContent!);
  return en.map((each, k) => ({ en: each, zh: zh[k] }));
}

export function __said(place: number, ...gaps: readonly unknown[]): Text {
  held ??= read();
  return gaps.length ? fill(held[place]!, ...gaps.map(String)) : held[place]!;
}
