// What is seldom asked for lies compressed in the document: the script that reads dropped files, the table of
// model classes, and the script of attention and of pictures as files. The page's policy names each script by its
// hash, so no other text would run.

import type { Later } from "../later";
import type {} from "../unpacked";
import type { Classes } from "./config";
import type { Reading } from "./reading";

export type { Later };

let reader: Promise<Reading> | undefined;
let rest: Promise<Later> | undefined;
let table: Promise<Classes> | undefined;

export function reading(): Promise<Reading> {
  reader ??= started("files").then(() => globalThis.clockhandsFiles!);
  return reader;
}

/** The room of attention, and pictures as files. */
export function later(): Promise<Later> {
  rest ??= started("later").then(() => globalThis.clockhandsLater!);
  return rest;
}

async function started(name: string): Promise<void> {
  const script = document.createElement("script");
  script.textContent = await clockhandsUnpacked(name);
  document.head.append(script);
}

export function classes(): Promise<Classes> {
  table ??= clockhandsUnpacked("classes").then(JSON.parse);
  return table;
}
