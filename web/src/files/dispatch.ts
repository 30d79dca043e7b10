// Which reader a dropped file is for: told by what is in it, never by its name.

import { readAttention } from "../attention/read";
import type { Scene } from "../scene";
import { FIELDS, type FieldName } from "../state/fields";
import { setText } from "../state/state";
import type {} from "../unpacked";
import { fill, T, type Text } from "../words";
import { type NumberArray, readArrays } from "./arrays";
import { readReport } from "./checked";
import { type Classes, readConfig } from "./config";
import { queriesOf } from "./queries";
import { refuse } from "./refused";
import type { Json } from "./settings";

/** A file as readers see it. */
export interface Given {
  /** Without folders, and short. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What it holds, where that is an object in JSON. */
  readonly json: Json | null;
  /** Its arrays of numbers, where it is .npy, .npz or .safetensors. */
  readonly arrays: readonly NumberArray[] | null;
}

/** Shows a file and says in a sentence what is shown; null where it is for another; throws Refused. */
export type Reader = (given: Given, scene: Scene) => Promise<Text | null> | Text | null;

let table: Promise<Classes> | undefined;

/** What is known of model classes, which lies packed by itself. */
function classes(): Promise<Classes> {
  table ??= clockhandsUnpacked("classes").then(JSON.parse);
  return table;
}

const model: Reader = async ({ json, name }, scene) => {
  // Every model has a config.json: its type says more than the name of the file.
  const called = typeof json?.model_type === "string" ? `${json.model_type.slice(0, 40)} (${name})` : name;
  const found = json && (readReport(json, called) ?? readConfig(json, called, await classes()));
  if (!found) return null;
  const length = found.context.promised ?? found.context.trained ?? FIELDS.context.initial;
  scene.model.value = found;
  choose(scene, { scheme: "model", layer: 0, context: length });
  return fill(
    T("Read {0}: kinds of layers: {1}.", "已读取 {0}：共 {1} 种层。"),
    found.name,
    found.layers.length,
  );
};

const queries: Reader = async ({ arrays, name }, scene) => {
  if (!arrays) return null;
  const found = queriesOf(arrays, name);
  scene.queries.value = found;
  choose(scene, { scheme: "queries", context: Math.min(found.q.t, found.k?.t ?? found.q.t), head: 0 });
  return fill(
    found.k
      ? T(
          "{0}: q and k. Heads: {1}, tokens: {2}, width: {3}.",
          "{0}：q 和 k，{1} 个头，{2} 个词元，宽度 {3}。",
        )
      : T("{0}. Heads: {1}, tokens: {2}, width: {3}.", "{0}：{1} 个头，{2} 个词元，宽度 {3}。"),
    name,
    found.q.heads,
    found.q.t,
    found.d,
  );
};

const attention: Reader = async ({ arrays, bytes, name }, scene) => {
  const found = arrays && readAttention(bytes.slice().buffer);
  if (!found) return null;
  scene.run.value = found;
  choose(scene, { room: "attention", sentence: 0, level: 0, query: "", key: 0, side: 0 });
  return fill(
    T("{0}: attention. Sentences: {1}.", "{0}：{1} 个句子上的注意力。"),
    name,
    found.sentences.length,
  );
};

/** In this order; the first that knows the file shows it. */
export const READERS: readonly Reader[] = [model, attention, queries];

function choose(scene: Scene, values: Partial<Record<FieldName, string | number>>): void {
  for (const [name, value] of Object.entries({ room: "instrument", ...values }))
    setText(scene.state, name as FieldName, String(value));
}

export const MOST_BYTES = 2 ** 28;

/** Show what was dropped; the sentence that says so, or Refused: then nothing has changed. */
export async function take(file: { name: string; bytes: Uint8Array }, scene: Scene): Promise<Text> {
  const name = file.name.replace(/^.*[\\/]/, "").slice(0, 60);
  const { bytes } = file;
  const json = jsonOf(bytes, name);
  const given = { name, bytes, json, arrays: json ? null : await readArrays(bytes, name) };
  for (const reader of READERS) {
    const said = await reader(given, scene);
    if (said) return said;
  }
  return refuse(
    T(
      "{0} is nothing that this page can draw: give a config.json, what clockhands check --format json says, a file of clockhands attend, or q and k as .npz or .safetensors",
      "本页画不了 {0}：请给出 config.json、clockhands check --format json 的输出、clockhands attend 的文件，或 .npz、.safetensors 格式的 q 和 k",
    ),
    name,
  );
}

function jsonOf(bytes: Uint8Array, name: string): Json | null {
  if (!/^\s*[{[]/.test(new TextDecoder().decode(bytes.subarray(0, 64)))) return null;
  try {
    const held = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return Array.isArray(held) ? (held[0] ?? {}) : held; // a report on several files is a list
  } catch {
    return refuse(T("{0} is not JSON, or not UTF-8: mend it", "{0} 不是 JSON，或者不是 UTF-8：请改正"), name);
  }
}

/** A file of the disk, whose size is looked at before it is read. */
export async function bytesOf(file: File): Promise<{ name: string; bytes: Uint8Array }> {
  if (file.size > MOST_BYTES)
    refuse(
      T(
        "{0} is larger than 256 MB: keep q and k of one layer in it",
        "{0} 超过 256 MB：请只保留一层的 q 和 k",
      ),
      file.name.slice(0, 60),
    );
  return { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
}
