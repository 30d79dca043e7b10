// What few people ask for at once, a script of its own, later.js: the room of attention, and pictures as files.
// It takes from the page's script what both need; build.mjs says what that is.

import { Explorer } from "./attention/explorer";
import { readAttention } from "./attention/read";
import { png, vector } from "./export/files";
import { turningPng, turningSvg } from "./export/motion";
import { npz } from "./export/zip";

const all = { Explorer, readAttention, png, vector, npz, turningPng, turningSvg };

export type Later = typeof all;

declare global {
  var clockhandsLater: Later | undefined;
}

globalThis.clockhandsLater = all;
