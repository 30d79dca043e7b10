// What the lesson's own pictures draw is what Python computes for the sentences beside them.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { codes } from "../../src/lesson/codes";
import { projected } from "../../src/lesson/maps";
import { outputs } from "../../src/lesson/shuffle";
import { normals } from "../../src/math/random";

const { lesson } = JSON.parse(
  readFileSync(new URL("../../golden/vectors.json", import.meta.url), "utf8"),
) as { lesson: Lesson };

interface Lesson {
  readonly normals: { count: number; seed: number; values: number[] }[];
  readonly outputs: { order: number[]; mode: number; values: number[][] }[];
  readonly codes: { mode: number; n: number; values: number[][] }[];
  readonly maps: { mode: number; corner: number[][]; squares: number }[];
}

function near(found: ArrayLike<number>, wanted: ArrayLike<number>): void {
  expect(found.length).toBe(wanted.length);
  for (let k = 0; k < wanted.length; k++) {
    expect(Math.abs(found[k] - wanted[k])).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(wanted[k])));
  }
}

describe("as Python", () => {
  it.each(lesson.normals)("normals of seed $seed", ({ count, seed, values }) => {
    near(normals(count, seed), values);
  });

  it.each(lesson.outputs)("attention of $order, mode $mode", ({ order, mode, values }) => {
    near(outputs(order, mode).flat(), values.flat());
  });

  it.each(lesson.codes)("code $mode of $n positions", ({ mode, n, values }) => {
    near(codes(mode, n).flat(), values.flat());
  });

  it.each(lesson.maps)("map $mode", ({ mode, corner, squares }) => {
    const found = projected(mode);
    near(
      corner.flatMap((_, i) => [...found.slice(64 * i + 61, 64 * i + 64)]),
      corner.flat(),
    );
    near([found.reduce((sum, each) => sum + each * each, 0)], [squares]);
  });
});
