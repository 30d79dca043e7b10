// A dropped config.json in the normal form: clockhands.check.read.config, with the classes that
// tables/classes.py wrote into the page.

import type { LayerForm, Model } from "../state/model";
import { T } from "../text";
import { layerCount, type Place, reckon, TooMany } from "./reckon";
import { refuse } from "./refused";
import {
  finite,
  has,
  isObject,
  type Json,
  type RopeReading,
  ropeParameters,
  type Settings,
  settings,
} from "./settings";
import { turning } from "./turning";

interface ClassRecord {
  readonly is: number;
  readonly defaults?: Json;
  readonly aliases?: number;
  readonly rope?: number;
  readonly parts?: Json;
}

export interface Classes {
  readonly shared: readonly unknown[];
  readonly usual: RopeReading;
  readonly older: Json;
  readonly lengths: readonly string[];
  readonly classes: Record<string, ClassRecord>;
  /** Those that Python knows and expressions can't tell: nothing is assumed of them. */
  readonly untold: readonly string[];
}

/** A form, and what only the lengths of its context need. */
type Form = LayerForm & { scaled?: { trained: number | null; factor: number | null } };

const PARTS = ["text_config", "language_config", "llm_config", "thinker_config"];
const ROTARY = [
  "rope_theta", "rope_scaling", "rope_parameters", "rotary_dim", "rotary_pct", "rotary_emb_base",
  "partial_rotary_factor", "rope_ratio", "rotary_emb_fraction", "rope_local_base_freq",
]; // biome-ignore format: a list

const EMPTY: LayerForm = {
  layers: [], family: "none", stack: null, mixer: "attention", layout: null, head_dim: null, rotary_dim: null,
  rope_theta: null, rope_type: null, inv_freq: null, attention_factor: null, slopes: null, num_buckets: null,
  max_distance: null, bidirectional: null, rows: null, offset: null, window: null,
}; // biome-ignore format: a list
const ASSUMED = [
  "is",
  "rope",
  {
    head_dim: ["|", ["w", "head_dim"], ["//", ["w", "hidden_size"], ["w", "num_attention_heads"]]],
    layout: "half",
    partial: true,
  },
];

/** `null`: nothing in it says that it is a configuration. */
export function readConfig(file: Json, name: string, table: Classes): Model | null {
  const named = [
    "model_type",
    "architectures",
    "hidden_size",
    "num_hidden_layers",
    ...PARTS,
    ...table.lengths,
    ...ROTARY,
  ];
  if (!named.some((key) => has(file, key))) return null;
  const s = settingsOf(file, table);
  const [recipe, inner] = stackOf(s, table);
  if (!recipe) {
    refuse(
      T(
        "{0} is of the model type “{1}”, which this page doesn't know: drop what clockhands check --format json says of it",
        "{0} 的模型类型是“{1}”，本页不认识：请把 clockhands check --format json 的输出拖进来",
      ),
      name,
      s.type.slice(0, 40),
    );
  }
  let forms: Form[];
  try {
    forms = merged(layersOf(recipe as never, inner, null, table));
  } catch (error) {
    if (error instanceof TooMany)
      refuse(
        T(
          "{0} claims more than 10,000 layers, which no model has: mend the number",
          "{0} 的层数超过 10,000，没有模型会这样：请写上层数",
        ),
        name,
      );
    forms = [];
  }
  if (!forms.length)
    refuse(
      T(
        "{0} has values that make no sense: clockhands check says which",
        "{0} 里有无法解释的值：可用 clockhands check 查看是哪些",
      ),
      name,
    );
  const context = contextOf(textPart(s, table), forms, table.lengths);
  return { name, context, layers: forms.map(({ scaled: _, ...form }) => form) };
}

function settingsOf(file: Json, table: Classes): Settings {
  const type = typeof file.model_type === "string" ? file.model_type : "";
  const record = classOf(table, type);
  const shared = (place: number | undefined) => (place === undefined ? {} : (table.shared[place] as Json));
  return settings(file, type, record?.defaults ?? {}, shared(record?.aliases), {
    ...table.usual,
    ...shared(record?.rope),
  } as RopeReading);
}

const classOf = ({ classes }: Classes, type: string) =>
  Object.hasOwn(classes, type) ? classes[type] : undefined;

const recipeOf = (table: Classes, type: string) => {
  const record = classOf(table, type);
  return record && table.shared[record.is];
};

function textPart(s: Settings, table: Classes): Settings {
  let found = s;
  for (let depth = 0; depth < PARTS.length; depth++) {
    const name = PARTS.find((each) => isObject(found.file[each]));
    if (!name || has(found.file, "hidden_size")) break;
    const inner = { ...(found.file[name] as Json) };
    if (typeof inner.model_type !== "string")
      inner.model_type = classOf(table, found.type)?.parts?.[name] ?? "";
    found = settingsOf(inner, table);
  }
  return found;
}

/** The model type that `architectures` names: LlamaForCausalLM is a llama; empty where it names none. */
function typeOfClass(s: Settings, { classes, untold }: Classes): string {
  const { architectures } = s.file;
  const first = Array.isArray(architectures) && typeof architectures[0] === "string" ? architectures[0] : "";
  const bare = first
    .split("For")[0]
    .replace(/Model$/, "")
    .replace(/LMHead$/, "")
    .toLowerCase();
  return [...Object.keys(classes), ...untold].find((type) => type.replace(/[_-]/g, "") === bare) ?? "";
}

function stackOf(s: Settings, table: Classes): [unknown, Settings] {
  const known = recipeOf(table, s.type || typeOfClass(s, table));
  if (known) return [known, s];
  const inner = textPart(s, table);
  const part = inner === s ? undefined : recipeOf(table, inner.type);
  if (part) return [part, inner];
  const named = typeOfClass(inner, table); // code of its own that calls its class as a known one
  const taken = recipeOf(table, named);
  if (taken) return [taken, settingsOf({ ...inner.file, model_type: named }, table)];
  const rotary = ROTARY.some((key) => (inner.file[key] ?? null) !== null);
  const untold = [s.type, named].some((type) => table.untold.includes(type));
  return [rotary && !untold ? ASSUMED : null, inner];
}

type Recipe = readonly [string, ...unknown[]];

const range = (count: number) => Array.from({ length: count }, (_, n) => n);

function layersOf(recipe: Recipe, s: Settings, layers: readonly number[] | null, table: Classes): Form[] {
  const asked = (expression: unknown, place: Place = { n: 0, count: 0, kind: "" }) =>
    reckon(expression, s, place, table.older);
  const own = () => layers ?? range(layerCount(s, "num_hidden_layers"));
  const [word, ...rest] = recipe as [string, ...never[]];
  switch (word) {
    case "is":
      return [formOf(rest[0], rest[1], s, own(), asked)];
    case "by": {
      const kinds = asked(rest[0]) as string[];
      const of = rest[1] as Record<string, Recipe>;
      return [...new Set(kinds)].flatMap((kind) => {
        const mine = range(kinds.length).filter((n) => kinds[n] === kind && (!layers || layers.includes(n)));
        return mine.length && has(of, kind) ? layersOf(of[kind], s, mine, table) : [];
      });
    }
    case "one": {
      const chosen = String(asked(rest[0]));
      const of = rest[1] as Record<string, Recipe>;
      return has(of, chosen) ? layersOf(of[chosen], s, layers, table) : [];
    }
    case "all":
      return rest.flatMap((each) => layersOf(each, s, layers, table));
    case "both": {
      const [encoder, decoder, up, down] = rest as unknown as [Recipe, Recipe, string, string];
      const side = (stack: "encoder" | "decoder", part: Recipe, key: string) =>
        layersOf(part, s, range(layerCount(s, key)), table).map((form) => ({ ...form, stack }));
      return [...side("encoder", encoder, up), ...side("decoder", decoder, s.whole(down) ? down : up)];
    }
    case "in": {
      const [key, given, type, stack, usual, filled] = rest as unknown as [
        string,
        Recipe | null,
        string,
        LayerForm["stack"],
        Json,
        boolean,
      ];
      const told = s.get(key);
      const inside = isObject(told) ? told : {};
      const inner = { ...(filled || !Object.keys(inside).length ? usual : {}), ...inside };
      if (type && (given || !inner.model_type)) inner.model_type = type;
      const part = given ?? (recipeOf(table, String(inner.model_type ?? "")) as Recipe | undefined);
      const forms = part ? layersOf(part, settingsOf(inner, table), layers, table) : [];
      return stack ? forms.map((form) => ({ ...form, stack })) : forms;
    }
    case "as":
      return layersOf(rest[1], settingsOf({ ...s.file, model_type: rest[0] }, table), layers, table);
    case "count":
      return layersOf(rest[1], s, layers ?? range(layerCount(s, rest[0])), table);
    case "first":
      return layersOf(rest[0], s, [0], table);
    default:
      throw new Error(`no such part: ${word}`);
  }
}

function formOf(
  family: string,
  fields: Json,
  s: Settings,
  layers: readonly number[],
  asked: (e: unknown) => unknown,
): Form {
  const { partial, over, type, rotary_dim, ...plain } = fields;
  const told = Object.fromEntries(Object.entries(plain).map(([name, each]) => [name, asked(each)]));
  const form = { ...EMPTY, family, layers, ...told } as LayerForm;
  if (family !== "rope") return { ...form, rows: form.rows || null };
  const values = ropeParameters(s, (type as string) ?? null, Boolean(asked(partial)));
  if (isObject(over)) for (const [name, each] of Object.entries(over)) values[name] = asked(each);
  const found = turning(
    s,
    values,
    rotary_dim === undefined ? form.head_dim : (asked(rotary_dim) as number | null),
  );
  return {
    ...form,
    rotary_dim: found.inv_freq && 2 * found.inv_freq.length,
    rope_theta: found.theta,
    rope_type: found.type,
    inv_freq: found.inv_freq,
    attention_factor: found.attention_factor,
    scaled: { trained: found.trained, factor: found.factor },
  };
}

/** One form for each distinct kind, in the order in which they first appear. */
export function merged(forms: readonly Form[]): Form[] {
  const kinds = new Map<string, Form>();
  for (const form of forms) {
    const key = JSON.stringify({ ...form, layers: 0, scaled: 0 });
    const kind = kinds.get(key);
    const layers = kind ? [...new Set([...kind.layers, ...form.layers])].sort((a, b) => a - b) : form.layers;
    kinds.set(key, { ...form, layers });
  }
  return [...kinds.values()];
}

const length = (value: unknown) => {
  const number = finite(value);
  return number !== null && number >= 1 && number < 2 ** 53 ? Math.floor(number) : null;
};

const least = (lengths: (number | null)[]) =>
  lengths.reduce((a, b) => (a === null || (b !== null && b < a) ? b : a), null);
const most = (lengths: (number | null)[]) =>
  lengths.reduce((a, b) => (a === null || (b !== null && b > a) ? b : a), null);

function contextOf(s: Settings, forms: readonly Form[], keys: readonly string[]): Model["context"] {
  const told = keys.map((key) => length(s.get(key))).find((each) => each !== null) ?? null;
  const spans = forms.flatMap((form): [number | null, number | null][] => {
    if (form.family === "learned" && form.rows !== null) {
      const rows = form.rows - (form.offset ?? 0);
      return [[rows, rows]];
    }
    return form.family === "rope" ? [spanOf(s, form, told)] : [];
  });
  if (!spans.length) return { trained: told, promised: told };
  return { trained: least(spans.map(([first]) => first)), promised: most(spans.map(([, last]) => last)) };
}

function spanOf(s: Settings, form: Form, told: number | null): [number | null, number | null] {
  const { factor = null, trained = null } = form.scaled ?? {};
  const original = length(trained);
  const stretched = original !== null && factor !== null ? length(original * factor) : null;
  switch (form.rope_type) {
    case "yarn":
      return [original, most([told, stretched])];
    case "llama3":
    case "longrope":
      return [original, told];
    case "dynamic":
      return [told, stretched];
    case "linear": {
      if (factor === 1) return [told, told];
      const within = (key: string) => {
        const given = s.get(key);
        return isObject(given) ? given.original_max_position_embeddings : undefined;
      };
      return [length(within("rope_scaling") ?? within("rope_parameters")), told];
    }
    default:
      return [told, told];
  }
}
