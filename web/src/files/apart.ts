// What only dropped files ask for lies compressed in the document: the script that reads them, and the table of
// model classes. The page's policy names the script by its hash, so no other text would run.

import type { Classes } from "./config";
import type { Reading } from "./reading";

let reader: Promise<Reading> | undefined;
let table: Promise<Classes> | undefined;

export function reading(): Promise<Reading> {
  reader ??= unpacked("files").then((text) => {
    const script = document.createElement("script");
    script.textContent = text;
    document.head.append(script);
    return globalThis.clockhandsFiles!;
  });
  return reader;
}

export function classes(): Promise<Classes> {
  table ??= unpacked("classes").then(JSON.parse);
  return table;
}

function unpacked(name: string): Promise<string> {
  const text = document.getElementById(`clockhands-${name}`)!.textContent!;
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
