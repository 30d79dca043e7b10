// What is seldom asked for lies compressed in the document: later.js. The page's policy names each script by its
// hash, so no other text would run.

import type { Later } from "../later";
import type {} from "../unpacked";

export type { Later };

let rest: Promise<Later> | undefined;

export function later(): Promise<Later> {
  rest ??= clockhandsUnpacked("later").then((text) => {
    const script = document.createElement("script");
    script.textContent = text;
    document.head.append(script);
    return globalThis.clockhandsLater!;
  });
  return rest;
}
