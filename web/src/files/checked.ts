// What `clockhands check --format json` says of any dialect: the normal form, each value looked at.

import type { LayerForm, Model } from "../state/model";
import { T } from "../text";
import { MOST_LAYERS, WIDEST } from "./reckon";
import { refuse } from "./refused";
import { finite, isObject, type Json } from "./settings";

const NUMBERS = [
  "head_dim",
  "rotary_dim",
  "rope_theta",
  "attention_factor",
  "num_buckets",
  "max_distance",
  "rows",
  "offset",
  "window",
] as const;
const LISTS = ["inv_freq", "slopes"] as const;
const MOST_FORMS = 1000;

const oneOf = <V extends string>(value: unknown, ...words: readonly V[]): V | null =>
  words.find((word) => word === value) ?? null;
const text = (value: unknown) => (typeof value === "string" ? value.slice(0, 40) : null);
const numbers = (value: unknown) =>
  Array.isArray(value) && value.length <= WIDEST && value.every((each) => finite(each) !== null)
    ? (value as number[])
    : null;

/** `null`: it isn't a report. */
export function readReport(file: Json, name: string): Model | null {
  const { layers, context } = file;
  if (!Array.isArray(layers) || !isObject(context)) return null;
  const forms = layers.slice(0, MOST_FORMS).filter(isObject).map(formOf);
  if (!forms.length)
    refuse(
      T(
        "{0} says nothing of any layer: clockhands check explains why",
        "{0} 没有提到任何一层：可用 clockhands check 查看原因",
      ),
      name,
    );
  const { trained, promised } = context;
  return { name, context: { trained: finite(trained), promised: finite(promised) }, layers: forms };
}

function formOf(given: Json): LayerForm {
  const told = (names: readonly string[], as: (value: unknown) => unknown) =>
    Object.fromEntries(names.map((name) => [name, as(given[name])]));
  return {
    ...told(NUMBERS, finite),
    ...told(LISTS, numbers),
    layers: numbers(given.layers)?.slice(0, MOST_LAYERS) ?? [],
    family: text(given.family) ?? "other",
    stack: oneOf(given.stack, "encoder", "decoder"),
    mixer: oneOf(given.mixer, "other") ?? "attention",
    layout: oneOf(given.layout, "half", "interleaved"),
    rope_type: text(given.rope_type),
    bidirectional: typeof given.bidirectional === "boolean" ? given.bidirectional : null,
  } as unknown as LayerForm;
}
