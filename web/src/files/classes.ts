// What model classes do with position, as tables/classes.py wrote it: unpacked when a file first asks for it.

import type { Classes } from "./config";

let found: Promise<Classes> | undefined;

export function classes(): Promise<Classes> {
  found ??= unpacked(document.getElementById("clockhands-classes")!.textContent!);
  return found;
}

async function unpacked(text: string): Promise<Classes> {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}
