// What can be chosen, what it may be, and how it is written in the address.

import { pointsOf, written } from "../math/ladder";
import { PRECISIONS } from "../math/precision";

/** One choice: its default, and how text becomes a value of it, always a permitted one. */
export interface Field<V> {
  readonly initial: V;
  readonly parse: (text: string) => V;
}

export const choice = <const V extends string>(values: readonly V[], initial: V): Field<V> => ({
  initial,
  parse: (text) => values.find((value) => value === text) ?? initial,
});

export const whole = (initial: number, least: number, most: number, step = 1): Field<number> => ({
  initial,
  parse: (text) => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (!Number.isFinite(value)) return initial;
    return Math.min(Math.max(Math.round(value / step) * step, least), most);
  },
});

export const real = (initial: number, least: number, most: number): Field<number> => ({
  initial,
  parse: (text) => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    return Number.isFinite(value) ? Math.min(Math.max(value, least), most) : initial;
  },
});

export const flag = (initial: boolean): Field<boolean> => ({
  initial,
  parse: (text) => (text === "true" ? true : text === "false" ? false : initial),
});

/** Control points of a ladder; `initial` where a text names none. */
const points = (initial: string): Field<string> => ({
  initial,
  parse: (text) => {
    const found = pointsOf(text);
    return found ? written(found) : initial;
  },
});

export const LONGEST = 1_000_000;
export const WIDEST = 1024;

export const SCHEMES = [
  "sinusoidal",
  "learned",
  "rope",
  "alibi",
  "t5",
  "none",
  "model",
  "queries",
  "design",
] as const;
export type SchemeId = (typeof SCHEMES)[number];
export const SCALINGS = [
  "default",
  "linear",
  "ntk",
  "dynamic",
  "yarn",
  "llama3",
  "longrope",
  "proportional",
] as const;
export type Scaling = (typeof SCALINGS)[number];

export const ROOM_IDS = ["lesson", "instrument", "design", "attention"] as const;
export type RoomId = (typeof ROOM_IDS)[number];

export const FIELDS = {
  room: choice(ROOM_IDS, "instrument"),
  /** Whether a second scheme stands beside the first; its fields are said after "b.". */
  two: flag(false),
  /** Of the lesson: the step, which questions are answered (a bit each), and what its pictures alone have. */
  step: whole(1, 1, 15),
  done: whole(0, 0, 2 ** 15 - 1),
  shift: whole(5, 0, 100),
  mode: whole(0, 0, 3),
  scheme: choice(SCHEMES, "sinusoidal"),
  /** Which kind of layer of an embedded model. */
  layer: whole(0, 0, 999),
  dim: whole(32, 2, WIDEST, 2),
  base: real(10_000, 1.01, 1e12),
  exponent: choice(["2i/d", "i/(d/2-1)"], "2i/d"),
  arrangement: choice(["interleaved", "concatenated"], "interleaved"),
  first: choice(["sin", "cos"], "sin"),
  layout: choice(["half", "interleaved"], "half"),
  scaling: choice(SCALINGS, "default"),
  factor: real(4, 1, 1024),
  trained: whole(128, 2, LONGEST),
  slow: real(1, 0.01, 1000),
  fast: real(4, 0.02, 1000),
  betaSlow: real(1, 0.01, 1000),
  betaFast: real(32, 0.02, 1000),
  truncate: flag(true),
  share: real(0.5, 0, 1),
  heads: whole(8, 1, 128),
  buckets: whole(32, 4, 256, 2),
  far: whole(128, 4, 4096),
  both: flag(false),
  rows: whole(512, 1, 16_384),
  seed: whole(0, 0, 9999),
  /** One's own ladder: control points of the first layer and the last, the layer shown, and what is mixed in. */
  bend: points("0_0~1_-4"),
  deep: points(""),
  layers: whole(1, 1, 256),
  depth: whole(0, 0, 255),
  line: real(0, 0, 1),
  moves: real(1, 0, 1),
  context: whole(512, 2, LONGEST),
  dtype: choice(PRECISIONS, "bf16"),
  pos: whole(37, 0, LONGEST - 1),
  other: whole(0, 0, LONGEST - 1),
  head: whole(0, 0, 127),
  /** Positions that the map shows on a side, from row and column on; 0: all. */
  reach: whole(0, 0, LONGEST),
  row: whole(0, 0, LONGEST - 1),
  column: whole(0, 0, LONGEST - 1),
  /** Distances that the curve shows; 0: all. */
  span: whole(0, 0, LONGEST),
  /** Of attention: what is looked at, and how. */
  sentence: whole(0, 0, 9999),
  level: whole(0, 0, 9999),
  unit: choice(["", "pieces", "characters", "words"], ""),
  /** −1: the last token, which has the most to look at. */
  query: whole(-1, -1, LONGEST),
  key: whole(0, 0, LONGEST),
  top: whole(0, 0, LONGEST),
  left: whole(0, 0, LONGEST),
  side: whole(0, 0, LONGEST),
  shade: choice(["linear", "log", "rank"], "linear"),
  shared: flag(true),
  sink: choice(["show", "dim", "hide"], "show"),
  signs: choice(["show", "hide"], "show"),
  pool: choice(["max", "mean"], "max"),
  speed: real(2, 0.25, 1000),
  /** Empty: as the page was made, or as the system has it. */
  lang: choice(["", "en", "zh"], ""),
  theme: choice(["", "light", "dark"], ""),
} as const;

/** What a second scheme beside the first has of its own; all else they share. */
export const OWN = [
  "scheme", "layer", "dim", "base", "exponent", "arrangement", "first", "layout", "scaling", "factor", "trained",
  "slow", "fast", "betaSlow", "betaFast", "truncate", "share", "heads", "buckets", "far", "both", "rows", "seed",
  "head",
  "bend",
  "deep",
  "layers",
  "depth",
  "line",
  "moves",
] as const; // biome-ignore format: a list

export type Fields = typeof FIELDS;
export type FieldName = keyof Fields;
export type ValueOf<F> = F extends Field<infer V> ? V : never;
