// The schemes that can be chosen, in order, and which settings each has.

import type { Queries } from "../files/queries";
import type { FieldName, SchemeId } from "../state/fields";
import type { Model } from "../state/model";
import type { State } from "../state/state";
import { T, type Text } from "../words";
import { alibiOf, none, t5 } from "./biased";
import { design, ladderOf } from "./design";
import { embedded } from "./embedded";
import { learned } from "./learned";
import { queries } from "./queries";
import { rope } from "./rope";
import { sinusoidal } from "./sinusoidal";
import type { Subject } from "./subject";

/** What a page was made with or was given: schemes that not every page has. */
export interface Held {
  readonly model: Model | null;
  readonly queries: Queries | null;
}

export interface Scheme {
  readonly id: SchemeId;
  readonly name: Text;
  /** Settings of its own, in the order to show them; some depend on others. */
  readonly settings: (state: State) => readonly FieldName[];
  readonly make: (state: State, held: Held) => Subject;
}

const SCALED: Record<string, readonly FieldName[]> = {
  default: [],
  linear: ["factor", "trained"],
  ntk: ["factor", "trained"],
  dynamic: ["factor", "trained"],
  yarn: ["factor", "trained", "betaFast", "betaSlow", "truncate"],
  llama3: ["factor", "trained", "slow", "fast"],
  longrope: ["factor", "trained"],
  proportional: ["share"],
};

/** Plain values of a state, for functions that know no signals. */
function values<Name extends FieldName>(state: State, ...names: Name[]): { [N in Name]: State[N]["value"] } {
  return Object.fromEntries(names.map((name) => [name, state[name].value])) as never;
}

export const ALL: readonly Scheme[] = [
  {
    id: "sinusoidal",
    name: T("Sinusoidal", "正弦"),
    settings: () => ["dim", "base", "exponent", "arrangement", "first"],
    make: (state) => sinusoidal(values(state, "dim", "base", "exponent", "arrangement", "first")),
  },
  {
    id: "learned",
    name: T("Learned", "可学习"),
    settings: () => ["dim", "rows", "seed"],
    make: (state) => learned(values(state, "dim", "rows", "seed")),
  },
  {
    id: "rope",
    name: T("RoPE", "RoPE"),
    settings: (state) => ["dim", "base", "layout", "scaling", ...SCALED[state.scaling.value]],
    make: (state) =>
      rope({
        ...values(state, "dim", "base", "layout", "scaling", "factor", "trained", "slow", "fast"),
        ...values(state, "betaSlow", "betaFast", "truncate", "share", "context"),
      }),
  },
  {
    id: "alibi",
    name: T("ALiBi", "ALiBi"),
    settings: () => ["heads", "both"],
    make: (state) => alibiOf(values(state, "heads", "both")),
  },
  {
    id: "t5",
    name: T("T5", "T5"),
    settings: () => ["buckets", "far", "both"],
    make: (state) => t5(values(state, "heads", "buckets", "far", "both")),
  },
  {
    id: "design",
    name: T("Your own ladder", "自己的频率阶梯"),
    settings: (state) => [
      "dim",
      "line",
      "moves",
      "layout",
      ...(state.deep.value ? (["layers", "depth"] as const) : []),
    ],
    make: (state) => design(state.dim.value, ladderOf(state), state.layout.value),
  },
  { id: "none", name: T("None", "不加"), settings: () => [], make: () => none },
  {
    id: "model",
    name: T("Model", "模型"),
    settings: () => [],
    make: (state, { model }) => (model ? embedded(model, state.layer.value) : none),
  },
  {
    id: "queries",
    name: T("Queries and keys", "查询和键"),
    settings: () => ["head", "layout"],
    make: (state, held) =>
      held.queries ? queries(held.queries, state.head.value, state.layout.value) : none,
  },
];

/** Those that this page offers: a model only where it has one. */
export const offered = (held: Held): readonly Scheme[] =>
  ALL.filter(({ id }) => (id !== "model" && id !== "queries") || held[id] !== null);

export function schemeOf(state: State, held: Held): Scheme {
  const wanted = offered(held).find((scheme) => scheme.id === state.scheme.value);
  return wanted ?? ALL[0];
}
