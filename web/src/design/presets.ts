// Ladders to start from.

import { FASTEST, SLOWEST, written } from "../math/ladder";
import { normals } from "../math/random";
import { T } from "../words";

export const BENDS = ["bend", "deep", "layers", "depth", "line", "moves"] as const;
export type Start = Partial<Record<(typeof BENDS)[number], string>>;

export const PLAIN: Required<Start> = {
  bend: "0_0~1_-4",
  deep: "",
  layers: "1",
  depth: "0",
  line: "0",
  moves: "1",
};
export const DEEPER = "0_0~1_-6";

/** What each begins with; all else goes back to the plain ladder. */
export const PRESETS = [
  ["plain", T("Plain ladder", "普通阶梯"), {}],
  ["mix", T("Half evenly spaced", "一半等距"), { line: "0.5" }],
  ["p", T("p-RoPE, half the hands", "p-RoPE，一半指针转动"), { moves: "0.5" }],
  ["abf", T("ABF, base 500,000", "ABF，底数 500,000"), { bend: "0_0~1_-5.698970004336019" }],
  ["bands", T("Two bands", "两个频段"), { bend: "0_0~0.5_-0.8~0.501_-3~1_-4" }],
  ["layers", T("Slower layer by layer", "逐层变慢"), { deep: DEEPER, layers: "12", depth: "5" }],
] as const;

/** Five points that fall, by chance; the same for a seed. */
export function atRandom(seed: number): Start {
  const heights = Array.from(normals(5, seed), (each) =>
    Math.min(Math.max(-2.4 + 1.3 * each, SLOWEST), FASTEST),
  );
  const falling = heights.sort((a, b) => b - a).map((y, k) => ({ x: k / 4, y: Math.round(1000 * y) / 1000 }));
  return { bend: written(falling) };
}
