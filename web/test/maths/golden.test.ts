// The page's mathematics against numbers that clockhands computed: golden/make.py wrote them.
import { describe, expect, it } from "vitest";
import vectors from "../../golden/vectors.json";
import { alibiSlopes, t5Bucketing } from "../../src/math/biases";
import { blockMeans, cellsFrom, curveBlockMean, handsBlockMean } from "../../src/math/blocks";
import { turnsPerToken } from "../../src/math/exact";
import * as frequencies from "../../src/math/frequencies";
import { horizon, kernelAt, kernelRange } from "../../src/math/kernel";
import { ladderInvFreq, pointsOf, written } from "../../src/math/ladder";
import { angleError, distinctPositions, type Precision, rounded, tipError } from "../../src/math/precision";
import { type Layout, rotate } from "../../src/math/rotation";
import { type Arrangement, type First, sinusoidRow } from "../../src/math/sinusoid";
import { finished, turnsWithin, wavelength } from "../../src/math/spectrum";
import { uniqueness } from "../../src/math/uniqueness";

const TOLERANCE = 1e-12;

function near(found: ArrayLike<number>, expected: readonly (number | string)[], relative = false) {
  expect(found.length).toBe(expected.length);
  for (let i = 0; i < expected.length; i++) {
    const wanted = Number(expected[i]);
    if (!Number.isFinite(wanted)) expect(found[i]).toBe(wanted);
    else {
      const room = TOLERANCE * (relative ? Math.max(Math.abs(wanted), 1e-300) : 1);
      expect(Math.abs(found[i] - wanted), `at ${i}: ${found[i]}, not ${wanted}`).toBeLessThanOrEqual(room);
    }
  }
}

type Ladder = (typeof vectors.frequencies)[number] & Record<string, unknown>;

const LADDERS: Record<string, (given: Record<string, never>) => Float64Array> = {
  default: (g) => frequencies.defaultInvFreq(g.dim, g.base),
  sinusoid: (g) => frequencies.sinusoidInvFreq(g.dim, g.base, g.exponent),
  linear: (g) => frequencies.linearInvFreq(g.dim, g.base, g.factor),
  ntk: (g) => frequencies.ntkInvFreq(g.dim, g.base, g.factor),
  dynamic: (g) => frequencies.dynamicNtkInvFreq(g.dim, g.base, g.factor, g.trained, g.length),
  yarn: (g) =>
    frequencies.yarnInvFreq(g.dim, g.base, { ...(g as object), betaFast: 32, betaSlow: 1 } as never),
  llama3: (g) => frequencies.byPartsInvFreq(g.dim, g.base, g.factor, g.trained, g.slow, g.fast),
  proportional: (g) => frequencies.proportionalInvFreq(g.dim, g.base, g.share),
  longrope: (g) => frequencies.longropeInvFreq(g.dim, g.base, g.short, g.long, g.trained, g.length),
};

describe("frequencies", () => {
  it("has vectors of every kind", () => {
    expect(new Set(vectors.frequencies.map((each) => each.kind))).toEqual(new Set(Object.keys(LADDERS)));
  });
  it.each(vectors.frequencies.map((each, i): [string, number, Ladder] => [each.kind, i, each]))(
    "%s %i",
    (kind, _, each) => near(LADDERS[kind](each as never), each.inv_freq, true),
  );
  it("sharpens by the same factor", () => {
    for (const { kind, factor, value } of vectors.attention_factors) {
      const found =
        kind === "yarn"
          ? frequencies.yarnAttentionFactor(factor)
          : frequencies.longropeAttentionFactor(factor, 4096);
      near([found], [value]);
    }
  });
});

it.each(vectors.sinusoid)("a table: $width $arrangement $first", (each) => {
  const speeds = turnsPerToken(frequencies.sinusoidInvFreq(each.width, 1e4));
  each.positions.forEach((position, row) => {
    const { width, arrangement, first } = each;
    near(sinusoidRow(position, speeds, width, arrangement as Arrangement, first as First), each.table[row]);
  });
});

it.each(vectors.rotation)("a rotation: $position $layout", ({ x, inv_freq, position, layout, turned }) => {
  near(rotate(x, position, turnsPerToken(inv_freq), layout as Layout), turned);
});

it.each(vectors.kernel.map((each, i): [number, typeof each] => [i, each]))("a kernel: %i", (_, each) => {
  const speeds = turnsPerToken(each.inv_freq);
  near(
    each.distances.map((distance) => kernelAt(speeds, distance)),
    each.values,
  );
  const curve = kernelRange(speeds, each.n + 1);
  near([curve[57], curve[1000]], [each.values[4], each.values[5]]);
  near(kernelRange(speeds, 3, 999_998), [
    kernelAt(speeds, 999_998),
    each.values[6],
    kernelAt(speeds, 1_000_000),
  ]);
  const seen = horizon(curve);
  expect(seen.firstRise).toBe(each.first_rise);
  expect(seen.firstNegative).toBe(each.first_negative);
  expect(seen.lowest.distance).toBe(each.lowest.distance);
  expect(seen.echo?.distance ?? null).toBe(each.echo?.distance ?? null);
  if (each.echo) near([seen.echo!.value], [each.echo.value]);
  near([seen.risingShare, seen.lowest.value], [each.rising_share, each.lowest.value]);
});

it.each(vectors.blocks.map((each, i): [number, typeof each] => [i, each]))("a map: %i", (_, each) => {
  near(blockMeans(handsBlockMean(turnsPerToken(each.inv_freq)), each), each.values.flat());
});

it.each([
  { row: 0, column: 0, size: 7 }, // both last cells are cut short
  { row: 3, column: 14, size: 8 },
  { row: 5, column: 2, size: 4 }, // whole rows, a short column
  { row: 44, column: 0, size: 3 },
])("a map of hands up to its end is the mean of its pairs: %o", ({ row, column, size }) => {
  const n = 45;
  const speeds = turnsPerToken([1, 0.3, 0.01, 0]);
  const [height, width] = [row, column].map((start) => cellsFrom(start, n, size, n));
  const window = { n, size, row, column, height, width };
  const wanted = Array.from({ length: height * width }, (_, cell) => {
    const [top, left] = [row + Math.floor(cell / width) * size, column + (cell % width) * size];
    const [bottom, right] = [Math.min(top + size, n), Math.min(left + size, n)];
    let sum = 0;
    for (let i = top; i < bottom; i++) for (let j = left; j < right; j++) sum += kernelAt(speeds, i - j);
    return sum / ((bottom - top) * (right - left));
  });
  near(blockMeans(handsBlockMean(speeds), window), wanted);
});

describe.each([true, false])("a map of any curve, causal %s", (causal) => {
  const at = t5Bucketing(32, 128, true);
  const straight = (from: number, to: number) => from >= 0 === to >= 0 && at(from) === at(to);
  it.each([
    { row: 0, column: 0, size: 1 },
    { row: 3, column: 40, size: 7 },
    { row: 0, column: 0, size: 64 },
    { row: 180, column: 0, size: 7 },
  ])("is the mean of its cells: %o", ({ row, column, size }) => {
    const window = { n: 200, size, row, column, height: 3, width: 3 };
    const means = blockMeans(curveBlockMean({ at, straight, causal }), window);
    for (let cell = 0; cell < 9; cell++) {
      const [top, left] = [row + Math.floor(cell / 3) * size, column + (cell % 3) * size];
      let [sum, count] = [0, 0];
      for (let i = top; i < Math.min(top + size, 200); i++)
        for (let j = left; j < Math.min(left + size, 200); j++) {
          if (causal && j > i) continue;
          sum += at(i - j);
          count++;
        }
      if (count === 0) expect(means[cell]).toBeNaN();
      else expect(Math.abs(means[cell] - sum / count)).toBeLessThan(TOLERANCE);
    }
  });
});

it.each(vectors.ladders.map((each, i): [number, typeof each] => [i, each]))("a ladder: %i", (_, each) => {
  const [bend, deep] = [pointsOf(each.bend)!, pointsOf(each.deep) ?? []];
  expect(written(bend)).toBe(each.bend);
  near(ladderInvFreq(each.dim, { ...each, bend, deep }), each.inv_freq, true);
});

it.each(vectors.alibi)("slopes of $heads heads", ({ heads, slopes }) => near(alibiSlopes(heads), slopes));

it.each(vectors.t5)("buckets: $buckets $max_distance $bidirectional", (each) => {
  const bucket = t5Bucketing(each.buckets, each.max_distance, each.bidirectional);
  expect(each.distances.map(bucket)).toEqual(each.values);
});

describe.each(["bf16", "fp16", "fp32"] as Precision[])("precision %s", (kind) => {
  const given = vectors.precision;
  it("rounds", () => {
    expect(given.numbers.map((each) => rounded(each, kind))).toEqual(given.rounded[kind].map(Number));
  });
  it("lets positions collide", () => {
    const { distinct, firstClash } = distinctPositions(given.n, kind);
    expect({ distinct, first_clash: firstClash }).toEqual(given.distinct[kind]);
  });
  it("errs", () => {
    const speeds = turnsPerToken(given.inv_freq);
    near(
      given.positions.map((at) => angleError(given.inv_freq, at, kind)),
      given.angle[kind],
    );
    near(
      given.positions.map((at) => tipError(speeds, given.inv_freq, at, kind)),
      given.tip[kind],
    );
  });
});

it.each(vectors.spectrum.map((each, i): [number, typeof each] => [i, each]))("a spectrum: %i", (_, each) => {
  near(each.inv_freq.map(wavelength), each.wavelength, true);
  near(
    each.inv_freq.map((speed) => turnsWithin(speed, each.length)),
    each.turns,
    true,
  );
  expect(finished(each.inv_freq, each.length)).toBe(each.finished);
});

it.each(vectors.uniqueness.map((each, i): [number, typeof each] => [i, each]))(
  "uniqueness: %i",
  (_, each) => {
    const speeds = turnsPerToken(each.inv_freq);
    const found = uniqueness(speeds, each.inv_freq, kernelRange(speeds, each.n + 1));
    expect(found.firstAlias).toBe(each.first_alias);
    expect(found.nearest.distance).toBe(each.nearest.distance);
    near([found.neighbour, found.nearest.value], [each.neighbour, each.nearest.value]);
    near([found.slowestAlone], [each.slowest_alone], true);
  },
);
