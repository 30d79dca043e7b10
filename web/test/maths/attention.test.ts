// Attention files against numbers that clockhands computed, and against files that are broken or hostile.
import { describe, expect, it } from "vitest";
import { attention } from "../../golden/vectors.json";
import { EVEN, grouped, groupedRow, habitOf, type Unit, waysOf } from "../../src/attention/groups";
import { readAttention, type Sentence } from "../../src/attention/read";
import { toy } from "../../src/attention/toy";
import { Pyramid, ranks, rowsOf, SIDE, shown } from "../../src/attention/weights";
import { normals } from "../../src/math/random";

const sound = Uint8Array.from(Buffer.from(attention.file, "base64"));
const run = readAttention(sound.buffer)!;

const rowOf = (one: Sentence, layer: number, head: number, i: number) => {
  const into = new Float64Array(one.tokens.length);
  rowsOf(one, layer, head)(i, 0, into.length, into);
  return into;
};

describe("weights", () => {
  it.each([0, 1, 2, 3])("of sentence %i are Python's", (n) => {
    const one = run.sentences[n];
    const expected: number[][][][] = attention.weights[n];
    expect([one.layers, one.heads]).toEqual([expected.length, expected[0].length]);
    expected.forEach((heads, layer) => {
      heads.forEach((rows, head) => {
        rows.forEach((row, i) => {
          const found = rowOf(one, layer, head, i);
          row.forEach((weight, j) => {
            if (one.causal && j > i) expect(found[j]).toBeNaN();
            else expect(Math.abs(found[j] - weight)).toBeLessThan(1e-12);
          });
        });
      });
    });
  });

  it("of the toy sum to one, and its heads look where they say", () => {
    const [one] = toy().sentences;
    const most = (head: number, i: number) => {
      const row = rowOf(one, 0, head, i).map((weight) => (Number.isNaN(weight) ? 0 : weight));
      expect(row.reduce((all, each) => all + each, 0)).toBeCloseTo(1, 5);
      return row.indexOf(Math.max(...row));
    };
    expect([most(0, 9), most(1, 9), most(2, 9)]).toEqual([8, 9, 0]);
    expect(most(3, 6)).toBe(4); // what followed the same sign before
  });
});

describe("tokens that belong together", () => {
  const one = run.sentences[3];
  const ways = waysOf(one);

  it.each(["characters", "words"] as const)("as %s weigh what Python says", (unit) => {
    const { starts, weights } = attention.joined[unit];
    expect(ways.get(unit)).toEqual(starts);
    weights.forEach((rows: number[][], head: number) => {
      const row = groupedRow(rowsOf(one, 0, head), starts);
      rows.forEach((expected, i) => {
        const found = new Float64Array(expected.length);
        row(i, 0, found.length, found);
        expect(found.reduce((sum, each) => sum + (each || 0), 0)).toBeCloseTo(1, 5);
        expected.forEach((weight, j) => {
          if (j > i) expect(found[j]).toBeNaN();
          else expect(Math.abs(found[j] - weight)).toBeLessThan(1e-12);
        });
        const part = new Float64Array(1); // a window gives the same
        row(i, i, i + 1, part);
        expect(part[0]).toBe(found[i]);
      });
    });
  });

  it("are written as what they spell", () => {
    const labels = (unit: Unit) => grouped(one, ways.get(unit)!).tokens;
    expect(labels("pieces").slice(0, 4)).toEqual(["<s>", "史⟨1/3⟩", "史⟨2/3⟩", "史⟨3/3⟩"]);
    expect(labels("characters")).toEqual(["<s>", "史", "进", "打", "🙂"]);
    expect(labels("words")).toEqual(["<s>", "史进", "打", "🙂"]);
    expect(waysOf(run.sentences[0]).size).toBe(1); // nobody says where its tokens stand
  });

  it("are words as the browser cuts them where the file names none", () => {
    const text = "to be, sure";
    const spans = [
      [0, 1],
      [1, 2],
      [2, 5],
      [5, 6],
      [6, 8],
      [8, 11],
    ] as const; // "t" "o" " be" "," " s" "ure"
    const tokens = spans.map(([start, end]) => text.slice(start, end));
    const plain = {
      ...one,
      tokens,
      spans,
      text,
      words: [],
      marks: tokens.map(() => 0),
      positions: [0, 1, 2, 3, 4, 5],
    };
    expect(grouped(plain, waysOf(plain).get("words")!).tokens).toEqual(["to", " be", ",", "sure"]); // one token keeps its name
    const apart = { ...plain, marks: [0, 1, 0, 0, 0, 0] }; // a special token belongs to nothing
    expect(waysOf(apart).get("words")).toEqual([0, 1, 2, 3, 4, 6]);
  });
});

describe("what a head looks at", () => {
  const [one] = toy().sentences;
  it.each([
    [0, "the token before"],
    [1, "itself"],
    [2, "the first token"],
    [3, "what came after the same token"],
  ])("head %i of the toy: %s", (head, name) => {
    const habit = habitOf(rowsOf(one, 0, head), one, 0)!;
    expect(habit.name.en).toBe(name);
    expect(habit.share).toBeGreaterThan(0.5);
    expect(habit.share).toBeLessThanOrEqual(1 + 1e-6);
  });

  it("is said of even weights, and nothing of others", () => {
    const even = (i: number, from: number, to: number, into: Float64Array) => {
      for (let j = from; j < to; j++) into[j - from] = j > i ? Number.NaN : 1 / (i + 1);
    };
    expect(habitOf(even, one, 0)!.name).toBe(EVEN);
    const two = (i: number, from: number, to: number, into: Float64Array) => {
      for (let j = from; j < to; j++) into[j - from] = j > i ? Number.NaN : j === 1 || j === 2 ? 0.5 : 0;
    };
    expect(habitOf(two, one, 0)).toBeNull();
  });
});

describe("blocks", () => {
  const count = 300;
  const values = normals(count * count, 3);
  const row = (i: number, from: number, to: number, into: Float64Array) => {
    for (let j = from; j < to; j++) into[j - from] = j > i ? Number.NaN : Math.abs(values[i * count + j]);
  };
  it.each([
    [1, 40, 20],
    [2, 0, 130],
    [4, 100, 8],
  ])("of %i hold sum, count and largest weight, without what is hidden", (size, start, width) => {
    const map = new Pyramid(count, row, (token, key) => (token === 5 ? 2 : key && token === 0 ? 1 : 0));
    const window = { size, row: start, column: 0, height: 20, width };
    const found = shown(map, window, Number.POSITIVE_INFINITY);
    expect(found.more).toBe(false);
    let most = 0;
    for (let y = 0; y < 20; y++) {
      for (let x = 0; x < width; x++) {
        const cell = { sum: 0, count: 0, most: 0 };
        for (let i = start + y * size; i < start + (y + 1) * size; i++) {
          for (let j = x * size; j < Math.min((x + 1) * size, count); j++) {
            if (i >= count || j > i || i === 5 || j === 5) continue;
            const weight = Math.abs(values[i * count + j]);
            cell.sum += weight;
            cell.count++;
            cell.most = Math.max(cell.most, weight);
            if (j) most = Math.max(most, weight);
          }
        }
        const at = y * width + x;
        expect(found.count[at]).toBe(cell.count);
        expect(found.most[at]).toBe(cell.most);
        expect(Math.abs(found.sum[at] - cell.sum)).toBeLessThan(1e-12);
      }
    }
    expect(map.most).toBeGreaterThanOrEqual(most); // tiles reach further than the window
  });

  it("are made a little at a time", () => {
    const map = new Pyramid(count, row, () => 0);
    const window = { size: 8, row: 0, column: 0, height: 38, width: 38 };
    expect(shown(map, window, 0).more).toBe(true);
    expect(map.work(Number.POSITIVE_INFINITY)).toBe(false);
    expect(shown(map, window, 0).more).toBe(false);
    expect(map.tile(8, 0, 0).count.reduce((all, each) => all + each, 0)).toBe((count * (count + 1)) / 2);
    expect(SIDE * 8).toBeGreaterThan(count);
  });
});

it("ranks each row by itself, and equal weights alike", () => {
  const nothing = Number.NaN;
  const found = ranks(Float64Array.of(0.2, 0.7, 0.1, 5, 5, nothing), 3);
  expect([...found]).toEqual([0.5, 1, 0, 0, 0, nothing]);
});

type Header = Record<string, { shape: number[]; data_offsets: number[]; dtype: string }> & {
  __metadata__: { clockhands: string };
};

function changed(change: (header: Header, about: Record<string, never[]>) => void): ArrayBuffer {
  const length = Number(new DataView(sound.buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(sound.subarray(8, 8 + length)));
  const about = JSON.parse(header.__metadata__.clockhands);
  change(header, about);
  header.__metadata__.clockhands = JSON.stringify(about);
  const written = new TextEncoder().encode(JSON.stringify(header));
  const found = new Uint8Array(8 + written.length + sound.length - 8 - length);
  new DataView(found.buffer).setBigUint64(0, BigInt(written.length), true);
  found.set(written, 8);
  found.set(sound.subarray(8 + length), 8 + written.length);
  return found.buffer;
}

describe("files", () => {
  it("are read whatever their tokens are", () => {
    expect(run.title).toEqual({ en: "golden", zh: "基准" });
    expect(run.sentences[0].tokens).toEqual(["史进", "打", "打", "</b>", "郑屠", "。"]);
    expect(readAttention(changed(() => {}))).toEqual(run);
  });

  const say =
    (change: (words: Record<string, unknown>) => void) => (_: Header, about: Record<string, never[]>) =>
      change(about.sentences[0]);
  it.each<[string, Parameters<typeof changed>[0]]>([
    ["another format", (_, about) => Object.assign(about, { format: "x" })],
    ["no sentence", (_, about) => Object.assign(about, { sentences: [] })],
    ["a title of markup", (_, about) => Object.assign(about, { title: { en: {}, zh: [] } })],
    ["tokens that are no text", say((words) => Object.assign(words, { tokens: [1, 2, 3, 4, 5, 6] }))],
    ["too few tokens", say((words) => Object.assign(words, { tokens: ["a"] }))],
    ["ids that are no numbers", say((words) => Object.assign(words, { ids: ["<b>", 1, 2, 3, 4, 5] }))],
    ["marks that are missing", say((words) => delete words.marks)],
    [
      "a token past the end",
      say((words) => Object.assign(words, { text: "ab", spans: Array(6).fill([0, 3]) })),
    ],
    ["too few places", say((words) => Object.assign(words, { text: "ab", spans: [[0, 1]] }))],
    ["words that are no places", say((words) => Object.assign(words, { words: ["ab"] }))],
    ["a scale for other layers", say((words) => Object.assign(words, { scale: [1] }))],
    ["an array that is missing", (header) => delete (header as Partial<Header>)["0.lse"]],
    ["another shape", (header) => Object.assign(header["0.q"], { shape: [2, 4, 8, 6] })],
    ["a shape without end", (header) => Object.assign(header["0.q"], { shape: [2 ** 53, 2 ** 53, 6, 8] })],
    ["a negative place", (header) => Object.assign(header["0.q"], { data_offsets: [-768, 0] })],
    ["places past the end", (header) => Object.assign(header["0.q"], { data_offsets: [1e9, 1e9 + 768] })],
    ["another kind of number", (header) => Object.assign(header["0.q"], { dtype: "BF16" })],
    ["a shape that is no list", (header) => Object.assign(header["0.q"], { shape: "2468" })],
  ])("with %s are refused", (_, change) => {
    expect(readAttention(changed(change))).toBeNull();
  });

  it.each([0, 3, 8, 40, sound.length - 1])("cut off after %i bytes are refused", (length) => {
    expect(readAttention(sound.slice(0, length).buffer)).toBeNull();
  });

  it("with bytes at random are refused, or drawn from numbers that are finite", () => {
    const drawn = normals(9000, 11);
    let [refused, next] = [0, 0];
    const random = (most: number) => Math.floor(Math.abs(drawn[next++ % drawn.length] * 1e6)) % most;
    for (let n = 0; n < 400; n++) {
      const bytes = sound.slice();
      const reach = n % 5 ? 2600 : bytes.length;
      for (let k = 0; k <= random(5); k++) bytes[random(reach)] = random(256);
      const found = readAttention(bytes.buffer);
      if (!found) refused++;
      else
        for (const one of found.sentences) {
          expect(
            [one.q, one.k, one.lse, one.weights].every((each) => !each || each.every(Number.isFinite)),
          ).toBe(true);
          expect(rowOf(one, 0, 0, one.tokens.length - 1)).toHaveLength(one.tokens.length);
        }
    }
    expect(refused).toBeGreaterThan(100);
    expect(refused).toBeLessThan(400);
  });
});
