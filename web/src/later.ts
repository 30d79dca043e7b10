// What few people ask for at once, a script of its own, later.js: the rooms of attention and of design, what reads
// dropped files, pictures as tables and as files. It takes from the page's script what both need; build.mjs says what that is.

import { Explorer } from "./attention/explorer";
import { Design } from "./design/design";
import { png, vector } from "./export/files";
import { turningPng, turningSvg } from "./export/motion";
import { npz } from "./export/zip";
import { bytesOf, take } from "./files/dispatch";
import { ladder } from "./tables/design";
import * as instrument from "./tables/instrument";
import { LESSON } from "./tables/lesson";
import { mapped } from "./tables/map";
import { Numbers } from "./tables/numbers";

const tables = { ...instrument, mapped, ladder, LESSON };
const all = { Explorer, Design, Numbers, tables, take, bytesOf, png, vector, npz, turningPng, turningSvg };

export type Later = typeof all;

declare global {
  var clockhandsLater: Later | undefined;
}

globalThis.clockhandsLater = all;
