// What small expressions of tables/classes.py come to: a field of a model class, from its settings.

import { alibiSlopes } from "../math/biases";
import { sinusoidInvFreq } from "../math/frequencies";
import { rounded } from "../math/precision";
import { finite, has, isObject, type Json, ropeParameters, type Settings } from "./settings";

/** The layer, how many there are, and the kind that the file gives it. */
export interface Place {
  readonly n: number;
  readonly count: number;
  readonly kind: string;
}

export const WIDEST = 65_536; // dimensions, heads: more is a slip or a trap
export const MOST_LAYERS = 10_000;

export class TooMany extends Error {}

export function reckon(expression: unknown, s: Settings, place: Place, older: Json): unknown {
  if (!Array.isArray(expression)) return expression;
  const [word, ...rest] = expression;
  const at = (k: number) => reckon(rest[k], s, place, older);
  const number = (k: number) => {
    const value = at(k);
    return typeof value === "number" ? value : null;
  };
  const both = (join: (a: number, b: number) => number) => {
    const [a, b] = [number(0), number(1)];
    return a === null || b === null ? null : join(a, b);
  };
  const list = (k: number): readonly unknown[] | string => {
    const value = at(k);
    return Array.isArray(value) || typeof value === "string" ? value : [];
  };
  const named = (each: unknown) =>
    typeof each !== "string" ? "" : has(older, each) ? String(older[each]) : each;
  const layers = (count: number, of: unknown, kinds: readonly unknown[] = []) => {
    if (count > MOST_LAYERS) throw new TooMany();
    return Array.from({ length: count }, (_, n) =>
      reckon(of, s, { n, count, kind: String(kinds[n] ?? "") }, older),
    );
  };
  switch (word) {
    case "q":
      return rest[0];
    case "w":
      return s.whole(rest[0]);
    case "v":
      return s.get(rest[0], rest[1]);
    case "n":
      return finite(s.get(rest[0]));
    case "f":
      return s.written(rest[0]) && Array.isArray(s.get(rest[0])) ? s.get(rest[0]) : [];
    case "has":
      return s.written(rest[0]);
    case "has!":
      return at(0) !== null;
    case "int":
      return Number.isInteger(at(0)) ? at(0) : null;
    case "obj":
      return isObject(at(0));
    case "i":
      return place.n;
    case "c":
      return place.count;
    case "k":
      return place.kind;
    case "?":
      return at(0) ? at(1) : at(2);
    case "|":
      return at(0) || at(1);
    case "&":
      return at(0) && at(1);
    case "!":
      return !at(0);
    case "=":
      return at(0) === at(1);
    case "<":
      return both((a, b) => Number(a < b));
    case "+": {
      const [a, b] = [at(0), at(1)];
      return a === null || b === null ? null : typeof a === "string" ? a + b : Number(a) + Number(b);
    }
    case "*":
      return both((a, b) => a * b);
    case "/":
      return both((a, b) => a / b);
    case "//":
      return both((a, b) => Math.floor(a / b));
    case "%":
      return both((a, b) => a % b);
    case "len":
      return list(0).length;
    case "at":
      return list(0)[number(1) ?? -1] ?? null;
    case "find":
      return list(1).indexOf(at(0) as string);
    case "get": {
      const [given, key] = [at(0), String(at(1))];
      return isObject(given) && has(given, key) ? given[key] : (rest[2] ?? null);
    }
    case "older":
      return named(at(0));
    case "rope":
      return ropeParameters(s, rest[0], true)[rest[1]] ?? null;
    case "sines": {
      const width = number(0);
      return width && width <= WIDEST ? [...sinusoidInvFreq(width, rest[1], rest[2])] : null;
    }
    case "slopes": {
      // Those published for the heads; with another largest power; rounded and scaled with the scores.
      const [heads, most, width] = [number(0), rest.length > 1 ? number(1) : 8, number(2)];
      if (heads === null || heads > WIDEST || most === null || Math.abs(most) >= 1000) return null;
      const own = [...alibiSlopes(heads)].map((slope) => slope ** (most / 8));
      return rest.length > 2 ? width && own.map((slope) => rounded(slope, "bf16") * width ** -0.5) : own;
    }
    case "told": {
      const count = layerCount(s, "num_hidden_layers");
      const said = (s.written(rest[0]) && s.get(rest[0])) || [];
      const kinds = (Array.isArray(said) ? said : []).slice(0, count).map(named);
      const rule = layers(count, rest[1]);
      return layers(
        count,
        rest[2],
        rule.map((kind, n) => kinds[n] ?? kind),
      );
    }
    case "each":
      return layers(number(0) ?? 0, rest[1]);
    case "runs": {
      const count = number(1) ?? 1;
      const runs = list(0) as readonly [readonly unknown[], number][];
      return runs
        .flatMap(([kinds, times]) => Array(Math.min(times, count)).fill(kinds).flat())
        .slice(0, count);
    }
    default:
      throw new Error(`no such word: ${word}`);
  }
}

/** Layers under this key, one where it says none. */
export function layerCount(s: Settings, key: string): number {
  const count = s.whole(key) ?? 1;
  if (count > MOST_LAYERS) throw new TooMany();
  return count;
}
