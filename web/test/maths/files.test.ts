// Dropped files: what numpy wrote is read as it is, and what is broken or hostile is refused in one sentence.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import golden from "../../golden/files.json";
import { readArrays } from "../../src/files/arrays";
import { readReport } from "../../src/files/checked";
import { type Classes, readConfig } from "../../src/files/config";
import { type Queries, queriesOf } from "../../src/files/queries";
import { Refused } from "../../src/files/refused";
import { embedded } from "../../src/schemes/embedded";
import { amplitudes, handAt, queries } from "../../src/schemes/queries";
import { mapOf } from "../../src/schemes/subject";
import type { Model } from "../../src/state/model";

const root = join(import.meta.dirname, "..", "..", "..");
const json = (...path: string[]) => JSON.parse(readFileSync(join(root, ...path), "utf8"));
const classes: Classes = json("src", "clockhands", "web", "built", "classes.json");

interface Held {
  base64: string;
  q: number[];
  shape: number[];
  k?: number[];
  score?: number[][];
  pairs?: Record<"half" | "interleaved", { mean: number[]; length: number[]; angle: number[] }>;
}
const held = golden as unknown as Record<string, Held>;
const bytesOf = (name: string) => new Uint8Array(Buffer.from(held[name].base64, "base64"));
const near = (found: ArrayLike<number>, wanted: readonly number[]) => {
  expect(found.length).toBe(wanted.length);
  for (let i = 0; i < wanted.length; i++) expect(Math.abs(found[i] - wanted[i])).toBeLessThan(1e-12);
};

describe.each(Object.keys(held))("%s", (name) => {
  const wanted = held[name];
  it("is read to the last bit", async () => {
    const arrays = await readArrays(bytesOf(name), name);
    const q = arrays!.find((each) => /q/.test(each.name)) ?? arrays![0];
    expect(q.shape).toEqual(wanted.shape);
    expect(Array.from(q.values)).toEqual(wanted.q);
  });
  it("gives the scores and the hands that numpy gives", async () => {
    const found = queriesOf((await readArrays(bytesOf(name), name))!, name);
    const { score, pairs } = wanted;
    if (!score || !pairs) return expect(found.k).toBeNull();
    expect(Array.from(found.k!.values)).toEqual(wanted.k);
    for (const layout of ["half", "interleaved"] as const) {
      const subject = queries(found, 3, layout);
      const values = mapOf(subject, 0)!({ n: 6, size: 1, row: 0, column: 0, height: 6, width: 6 });
      near(values, score.flat());
      const own = subject.pairs!;
      near(amplitudes(own.query, own), pairs[layout].mean);
      const hands = [0, 1, 2, 3].map((hand) => handAt(own.query, own, hand, 2));
      near(
        hands.map(([length]) => length),
        pairs[layout].length,
      );
      near(
        hands.map(([, angle]) => angle),
        pairs[layout].angle,
      );
    }
    const whole = mapOf(queries(found, 3, "half"), 0)!({
      n: 6,
      size: 6,
      row: 0,
      column: 0,
      height: 1,
      width: 1,
    });
    near(whole, [score.flat().reduce((a, b) => a + b) / 36]); // a block's mean is the mean of its scores
  });
});

const refused = async (make: () => unknown) => {
  try {
    return { given: await make() };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { said: error.said };
  }
};

const text = (value: string) => new TextEncoder().encode(value);
const padded = (start: string, length: number) => {
  const bytes = new Uint8Array(length);
  bytes.set(Uint8Array.from(start, (sign) => sign.charCodeAt(0)));
  return bytes;
};
const npy = (header: string, data = 64) => {
  const bytes = padded("\x93NUMPY\x01\x00", 10 + header.length + data);
  new DataView(bytes.buffer).setUint16(8, header.length, true);
  bytes.set(text(header), 10);
  return bytes;
};
const safetensors = (header: unknown, claim?: bigint) => {
  const words = text(typeof header === "string" ? header : JSON.stringify(header));
  const bytes = new Uint8Array(8 + words.length + 64);
  new DataView(bytes.buffer).setBigUint64(0, claim ?? BigInt(words.length), true);
  bytes.set(words, 8);
  return bytes;
};

// One member, packed: what it claims to unpack to is told apart from what it does.
function zip(member: Uint8Array, claim = member.length): Uint8Array {
  const packed = deflateRawSync(member);
  const bytes = new Uint8Array(30 + 5 + packed.length + 46 + 5 + 22);
  const view = new DataView(bytes.buffer);
  const central = 35 + packed.length;
  view.setUint32(0, 0x04034b50, true);
  view.setUint16(26, 5, true);
  bytes.set(packed, 35);
  view.setUint32(central, 0x02014b50, true);
  view.setUint16(central + 10, 8, true);
  view.setUint32(central + 20, packed.length, true);
  view.setUint32(central + 24, claim, true);
  view.setUint16(central + 28, 5, true);
  bytes.set(text("q.npy"), central + 46);
  view.setUint32(central + 51, 0x06054b50, true);
  view.setUint16(central + 61, 1, true);
  view.setUint32(central + 67, central, true);
  return bytes;
}

const NPY = (shape: string, descr = "<f4") =>
  `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape}), }`;

describe("a hostile file is refused in a sentence", () => {
  it.each<[string, () => Uint8Array, RegExp]>([
    ["a header of 2 GB", () => safetensors("{}", 2n ** 31n), /claims more than it holds/],
    ["a header of 2^60 bytes", () => safetensors("{", 2n ** 55n), /claims more/],
    ["10^9 rows", () => npy(NPY("1000000000, 8")), /33 million/],
    ["a row too many", () => npy(NPY("3, 8")), /claims more/],
    ["no rows", () => npy(NPY("0, 8"), 0), /claims more/],
    ["rows below 0", () => npy(NPY("-1, -16")), /claims more|kind/],
    ["pickles", () => npy(NPY("2, 4", "|O")), /of the kind “\|O”/],
    ["the other order", () => npy(NPY("2, 8").replace("False", "True")), /in C order/],
    ["a header that is none", () => npy("{"), /kind/],
    ["a zip bomb that says so", () => zip(new Uint8Array(16), 2 ** 32 - 1), /33 million/],
    ["a zip bomb that doesn't", () => zip(new Uint8Array(2 ** 24), 64), /claims more/],
    ["half a zip", () => zip(npy(NPY("2, 8"))).slice(0, 60), /claims more/],
    [
      "offsets past the end",
      () => safetensors({ q: { dtype: "F32", shape: [2, 8], data_offsets: [0, 1e18] } }),
      /claims/,
    ],
    [
      "offsets that are none",
      () => safetensors({ q: { dtype: "F32", shape: [2, 8], data_offsets: ["a", {}] } }),
      /claims/,
    ],
    [
      "a shape that is none",
      () => safetensors({ q: { dtype: "F32", shape: [2.5, 8], data_offsets: [0, 80] } }),
      /claims/,
    ],
    [
      "a kind from beyond",
      () => safetensors({ q: { dtype: "constructor", shape: [2, 8], data_offsets: [0, 64] } }),
      /kind/,
    ],
    ["GGUF", () => padded("GGUF\x03", 64), /GGUF/],
  ])("%s", async (_, make, sentence) => {
    const { said } = await refused(() => readArrays(make(), "x"));
    expect(said?.en).toMatch(sentence);
    expect(said?.zh).toMatch(/[一-鿿]/);
  });

  it.each<[string, object[], RegExp]>([
    [
      "NaN",
      [{ name: "q", shape: [2, 2], values: new Float32Array([1, 2, 3, Number.NaN]) }],
      /NaN or infinity at token 1/,
    ],
    ["no vectors", [{ name: "q", shape: [8], values: new Float32Array(8) }], /vectors of 2 to/],
    [
      "widths that differ",
      [
        { name: "q", shape: [2, 4], values: new Float32Array(8) },
        { name: "k", shape: [2, 2], values: new Float32Array(4) },
      ],
      /q is \(2, 4\) and k \(2, 2\)/,
    ],
    ["nothing", [], /no array of vectors/],
  ])("arrays of %s", async (_, arrays, sentence) => {
    const { said } = await refused(() => queriesOf(arrays as never, "x"));
    expect(said?.en).toMatch(sentence);
  });

  it.each<[string, unknown, RegExp]>([
    ["10^9 layers", { model_type: "llama", num_hidden_layers: 1e9 }, /10,000 layers/],
    [
      "an unknown class",
      { model_type: "<b>no</b>", hidden_size: 8 },
      /“<b>no<\/b>”, which this page doesn't know/,
    ],
    ["a class that only Python reads", { model_type: "zamba2" }, /zamba2.*doesn't know/],
  ])("a configuration of %s", async (_, config, sentence) => {
    const { said } = await refused(() => readConfig(config as never, "x", classes));
    expect(said?.en).toMatch(sentence);
  });

  it("keys of every object change none", () => {
    const config = JSON.parse(
      '{"model_type":"llama","__proto__":{"rope_theta":7},"constructor":1,"rope_scaling":{"__proto__":{"factor":3}}}',
    );
    const [form] = readConfig(config, "x", classes)!.layers;
    expect(form.rope_theta).toBe(10_000);
    expect(({} as Record<string, unknown>).rope_theta).toBeUndefined();
  });
});

// Mulberry32, so that a failure can be had again.
function dice(seed: number) {
  let state = seed;
  return (sides: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

const ODD: readonly unknown[] = [
  null, true, "", "yarn", -1, 0, 0.5, 1e308, -1e308, 2 ** 53, 1e9, [], {}, [[]], { "": {} }, "💥", [1, 2], { factor: 2 },
  [null], { full_attention: {} }, "__proto__",
]; // biome-ignore format: a list

function mutated(value: unknown, roll: (sides: number) => number): unknown {
  if (roll(12) === 0) return ODD[roll(ODD.length)];
  if (Array.isArray(value)) return value.slice(0, 200).map((each) => mutated(each, roll));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      roll(40) ? key : String(ODD[roll(ODD.length)]),
      mutated(each, roll),
    ]),
  );
}

const draws = (model: Model) => {
  for (const place of [0, 1, 5]) {
    const subject = embedded(model, place);
    const map = mapOf(subject, 0);
    if (map && (subject.rows ?? 8) >= 8)
      expect(map({ n: 8, size: 1, row: 0, column: 0, height: 2, width: 2 }).length).toBe(4);
  }
};

describe("fuzz: whatever is dropped is drawn or refused", () => {
  it("bytes", async () => {
    const roll = dice(1);
    const outcomes = { drawn: 0, refused: 0 };
    for (let n = 0; n < 700; n++) {
      const names = Object.keys(held);
      let bytes = bytesOf(names[roll(names.length)]);
      if (roll(3) === 0) bytes = bytes.slice(0, roll(bytes.length));
      for (let flips = roll(6); flips > 0 && bytes.length; flips--)
        bytes[roll(roll(2) ? bytes.length : Math.min(bytes.length, 200))] = roll(256);
      const { given } = await refused(async () => {
        const arrays = await readArrays(bytes, "x");
        return arrays && queriesOf(arrays, "x");
      });
      if (!given) {
        outcomes.refused++;
        continue;
      }
      outcomes.drawn++;
      const map = mapOf(queries(given as Queries, roll(9), "half"), 0)!;
      expect(map({ n: 2, size: 1, row: 0, column: 0, height: 2, width: 2 }).every(Number.isFinite)).toBe(
        true,
      );
    }
    expect(outcomes.drawn).toBeGreaterThan(90);
    expect(outcomes.refused).toBeGreaterThan(250);
  }, 30_000);

  it("configurations and reports", async () => {
    const roll = dice(2);
    const configs = ["llama-3.1-8b", "gemma-4-26b-a4b", "phi-3.5-mini", "deepseek-v4-flash", "t5-small", "mpt-7b", "gpt-neo-1.3b",
      "deepseek-r1", "qwen2.5-vl-7b", "llama-4-scout", "nemotron-h-56b", "deberta-v3-base", "smollm3-3b", "whisper-tiny"].map(
      (name) => json("tests", "check", "fixtures", "alarms", name, "config.json"),
    ); // biome-ignore format: a list
    const report = { context: { trained: 8 }, layers: [readConfig(configs[0], "x", classes)!.layers[0]] };
    let drawn = 0;
    for (let n = 0; n < 900; n++) {
      const file = mutated(n % 5 ? configs[roll(configs.length)] : report, roll);
      if (file === null || typeof file !== "object" || Array.isArray(file)) continue;
      const { given } = await refused(
        () => readReport(file as never, "x") ?? readConfig(file as never, "x", classes),
      );
      if (!given) continue;
      draws(given as Model);
      drawn++;
    }
    expect(drawn).toBeGreaterThan(250);
  }, 30_000);
});
