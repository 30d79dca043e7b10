// What reads dropped files: a script of its own, files.js, which the page starts when a file first asks for it.

import type { Model } from "../state/model";
import { type NumberArray, readArrays } from "./arrays";
import { readReport } from "./checked";
import { type Classes, readConfig } from "./config";
import { type Queries, queriesOf } from "./queries";
import type { Json } from "./settings";

export interface Reading {
  /** Arrays of .npy, .npz or .safetensors; null: it is none of them. */
  readonly arrays: (bytes: Uint8Array, name: string) => Promise<readonly NumberArray[] | null>;
  /** A configuration or a report on one; null: it is neither. */
  readonly model: (json: Json, name: string, classes: () => Promise<Classes>) => Promise<Model | null>;
  readonly queries: (arrays: readonly NumberArray[], name: string) => Queries;
}

declare global {
  var clockhandsFiles: Reading | undefined;
}

globalThis.clockhandsFiles = {
  arrays: readArrays,
  model: async (json, name, classes) => readReport(json, name) ?? readConfig(json, name, await classes()),
  queries: queriesOf,
};
