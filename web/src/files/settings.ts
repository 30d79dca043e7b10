// A configuration as its model class sees it: clockhands.check.settings and .read.rope_parameters, restated.

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const has = (given: Json, key: string) => Object.hasOwn(given, key);

/** A finite number; null for anything else. */
export const finite = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

/** A whole number above 0; null for anything else. */
export const whole = (value: unknown): number | null =>
  typeof value === "number" && Number.isInteger(value) && value > 0 && value < 2 ** 63 ? value : null;

/** How a class makes rotary parameters out of a file: `RopeReading` of Python. */
export interface RopeReading {
  readonly own: Json;
  readonly fill: Json;
  readonly alone: Json;
  readonly beside: Json;
  readonly deaf: Record<string, readonly string[]>;
  readonly types: Json;
  readonly old_type: boolean;
  readonly by_width: boolean;
  readonly alpha: boolean;
}

export interface Settings {
  readonly file: Json;
  readonly type: string;
  readonly rope: RopeReading;
  readonly get: (name: string, otherwise?: unknown) => unknown;
  readonly whole: (name: string) => number | null;
  readonly written: (name: string) => boolean;
}

export function settings(
  file: Json,
  type: string,
  defaults: Json,
  aliases: Json,
  rope: RopeReading,
): Settings {
  const names = (name: string) => [
    name,
    ...(has(aliases, name) ? [String(aliases[name])] : []),
    ...Object.keys(aliases).filter((key) => aliases[key] === name),
  ];
  const get = (name: string, otherwise: unknown = null) => {
    for (const from of [file, defaults]) for (const key of names(name)) if (has(from, key)) return from[key];
    return otherwise;
  };
  return {
    file,
    type,
    rope,
    get,
    whole: (name) => whole(get(name)),
    written: (name) => names(name).some((key) => has(file, key)),
  };
}

const DICTIONARIES = ["rope_scaling", "rope_parameters"]; // in the order in which transformers takes them
export const OLD_NAMES: Json = { su: "longrope", mrope: "default" };
export const TRAINED = "original_max_position_embeddings";

/** Rotary parameters of the layers of `layer`, in one shape, as written and of whatever type. */
export function ropeParameters(s: Settings, layer: string | null, partial: boolean): Json {
  const { rope } = s;
  const found = dictionary(s, layer);
  const [given, path] = found ?? [ofLayer(rope.own, layer), ""];
  const values: Json = Object.fromEntries(Object.entries(given).filter(([, value]) => !isObject(value)));
  const deep = path.includes(".");
  const nested = deep || isObject(rope.own[layer ?? ""]);
  if (has(values, "type")) {
    if (!has(values, "rope_type") && (deep || rope.old_type)) values.rope_type = values.type;
    delete values.type;
  }
  if (!has(values, "rope_type")) values.rope_type = "default";
  for (const [name, key] of Object.entries(ofLayer(path ? rope.beside : rope.alone, layer))) {
    if ((!has(values, name) || !path) && has(s.file, String(key))) values[name] = s.get(String(key));
  }
  if (
    rope.by_width &&
    (values.partial_rotary_factor ?? null) === null &&
    (s.file.rotary_dim ?? null) !== null
  ) {
    const [turning, width] = [s.whole("rotary_dim"), s.whole("head_dim")];
    if (turning && width) values.partial_rotary_factor = turning / width;
  }
  for (const [name, value] of Object.entries(ofLayer(rope.fill, layer))) {
    if (!has(values, name)) values[name] = value;
  }
  const kind = String(values.rope_type);
  if (has(rope.types, kind)) values.rope_type = rope.types[kind];
  if (["llama3", "yarn", "longrope"].includes(typeName(values.rope_type))) {
    const beside = s.get(TRAINED);
    if (beside !== null && (!nested || (values[TRAINED] ?? null) === null)) values[TRAINED] = beside;
    else if (!has(values, TRAINED)) values[TRAINED] = s.get("max_position_embeddings");
  }
  if (!partial) delete values.partial_rotary_factor;
  return values;
}

export function typeName(written: unknown): string {
  const name = typeof written === "string" ? written : written === null ? "default" : "?";
  return has(OLD_NAMES, name) ? String(OLD_NAMES[name]) : name;
}

function dictionary(s: Settings, layer: string | null): [Json, string] | null {
  for (const name of DICTIONARIES) {
    const given = has(s.file, name) ? s.get(name) : null;
    if (!isObject(given) || !Object.keys(given).length) continue;
    const inner = layer !== null && has(given, layer) ? given[layer] : null;
    if (isObject(inner)) return [inner, `${name}.${layer}`];
    if (layer !== null && Object.values(given).some(isObject)) continue; // it says nothing of these layers
    if (layer !== null && s.rope.deaf[name]?.includes(layer)) continue;
    return [given, name];
  }
  return null;
}

function ofLayer(told: Json, layer: string | null): Json {
  const inner = layer !== null && has(told, layer) ? told[layer] : null;
  if (isObject(inner)) return inner;
  return Object.fromEntries(Object.entries(told).filter(([, value]) => !isObject(value)));
}
