// The file of clockhands attend, read without trusting a number in it: clockhands.web.attention_file, restated.

import { latin } from "../export/zip";
import type { Text } from "../words";

/** Start and end. */
export type Span = readonly [number, number];

/** One text as every layer and head looks at it; arrays as in clockhands.analysis.attention_trace. */
export interface Sentence {
  /** Of the run that it comes from, where there are several. */
  readonly name: Text | null;
  readonly tokens: readonly string[];
  readonly text: string;
  /** Where each token stands in the text, and where words do, in characters; empty where nobody says. */
  readonly spans: readonly Span[];
  readonly words: readonly Span[];
  readonly ids: readonly number[];
  readonly positions: readonly number[];
  /** 0 text, 1 a special token, 2 padding. */
  readonly marks: readonly number[];
  readonly causal: boolean;
  readonly scale: readonly number[];
  readonly error: number | null;
  readonly layers: number;
  readonly heads: number;
  readonly keyHeads: number;
  readonly width: number;
  readonly q: Float32Array | null;
  readonly k: Float32Array | null;
  readonly lse: Float32Array | null;
  readonly bias: Float32Array | null;
  readonly weights: Float32Array | null;
}

export interface Run {
  /** Made by the page itself, of formulas. */
  readonly toy?: boolean;
  readonly title: Text;
  readonly sentences: readonly Sentence[];
}

const MOST_HEADER = 2 ** 23;
const MOST_TOKENS = 2 ** 20;

/** The run in a file; null where anything in it is not as it should be. */
export function readAttention(file: ArrayBuffer): Run | null {
  try {
    return read(file);
  } catch {
    return null;
  }
}

function must(fits: unknown): asserts fits {
  if (!fits) throw new Error();
}

type Entry = { dtype: string; shape: number[]; data_offsets: number[] };
type Words = Record<string, unknown>;

function read(file: ArrayBuffer): Run {
  const view = new DataView(file);
  const length = view.getUint32(0, true);
  must(view.getUint32(4, true) === 0 && length <= MOST_HEADER);
  const start = 8 + length;
  const header = JSON.parse(
    new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(file, 8, length)),
  );
  const about = JSON.parse(header.__metadata__.clockhands);
  must(about.format === "clockhands-attention" && about.version === 1);
  must(Array.isArray(about.sentences) && about.sentences.length);
  const array = (name: string): [Float32Array, number[]] | null => {
    const entry: Entry | undefined = Object.hasOwn(header, name) ? header[name] : undefined;
    return entry ? [numbers(file, start, entry), entry.shape] : null;
  };
  const sentences = about.sentences.map((words: Words, n: number) =>
    sentence(words, (name) => array(`${n}.${name}`)),
  );
  return { title: text(about.title), sentences };
}

function text({ en, zh }: Text): Text {
  must(typeof en === "string" && typeof zh === "string");
  return { en, zh };
}

function numbers(file: ArrayBuffer, start: number, { dtype, shape, data_offsets: places }: Entry) {
  must(dtype === "F16" || dtype === "F32");
  must(shape.length > 2 && shape.length < 5 && shape.every((each) => Number.isSafeInteger(each) && each > 0));
  must(places.length === 2 && places.every((each) => Number.isSafeInteger(each) && each >= 0));
  const bytes = dtype === "F16" ? 2 : 4;
  const count = shape.reduce((all, each) => all * each, 1);
  must(places[1] - places[0] === count * bytes && start + places[1] <= file.byteLength);
  const raw = file.slice(start + places[0], start + places[1]);
  // F32 as the file has it: machines that browsers run on are little-endian.
  const found = bytes === 4 ? new Float32Array(raw) : widened(new Uint16Array(raw));
  must(found.every(Number.isFinite));
  return found;
}

function widened(halves: Uint16Array): Float32Array {
  const found = new Float32Array(halves.length);
  for (let n = 0; n < halves.length; n++) {
    const half = halves[n];
    const [power, part] = [(half >> 10) & 31, half & 1023];
    const size = power === 31 ? Number.NaN : power ? (1 + part / 1024) * 2 ** (power - 15) : part * 2 ** -24;
    found[n] = half & 0x8000 ? -size : size;
  }
  return found;
}

function sentence(words: Words, array: (name: string) => [Float32Array, number[]] | null): Sentence {
  const list = (name: string, kind: string, count: number) => {
    const found = words[name];
    must(Array.isArray(found) && found.length === count && found.every((each) => typeof each === kind));
    return found;
  };
  must(Array.isArray(words.tokens) && words.tokens.length && words.tokens.length <= MOST_TOKENS);
  const count = words.tokens.length;
  const [q, k, lse, bias, weights] = ["q", "k", "lse", "bias", "weights"].map(array);
  const shaped = weights ?? q;
  must(shaped);
  const [layers, heads, , width] = shaped[1];
  const keyHeads = k?.[1][1] ?? heads;
  const fits = (found: typeof q, ...shape: number[]) =>
    !found || (found[1].length === shape.length && found[1].every((each, n) => each === shape[n]));
  must(fits(weights, layers, heads, count, count) && (weights || (q && k && lse)));
  must(weights || (fits(q, layers, heads, count, width) && fits(k, layers, keyHeads, count, width)));
  must(fits(lse, layers, heads, count) && fits(bias, layers, heads, 2 * count - 1) && heads % keyHeads === 0);
  return {
    name: words.name ? text(words.name as Text) : null,
    tokens: list("tokens", "string", count),
    ...placed(words, count),
    ids: (words.ids as unknown[]).length ? list("ids", "number", count) : [],
    positions: list("positions", "number", count),
    marks: list("marks", "number", count),
    causal: words.causal === true,
    scale: list("scale", "number", layers),
    error: typeof words.error === "number" ? words.error : null,
    layers,
    heads,
    keyHeads,
    width,
    q: q?.[0] ?? null,
    k: k?.[0] ?? null,
    lse: lse?.[0] ?? null,
    bias: bias?.[0] ?? null,
    weights: weights?.[0] ?? null,
  };
}

function placed({ text = "", spans = [], words = [] }: Words, count: number) {
  must(typeof text === "string" && Array.isArray(spans) && Array.isArray(words));
  const most = [...text].length;
  for (const each of [...spans, ...words]) {
    must(Array.isArray(each) && each.length === 2 && each.every(Number.isSafeInteger));
    must(each[0] >= 0 && each[0] <= each[1] && each[1] <= most);
  }
  must(!spans.length || spans.length === count);
  return { text, spans, words };
}

/** The run that the page was made with, null where it has none. */
export function embeddedRun(): Run | null {
  const text = document.getElementById("clockhands-attention")?.textContent;
  return text ? readAttention(latin(atob(text)).buffer) : null;
}
