// Turning pairs of dimensions: clockhands.formulas.rotation, restated.

import { angleAt, type Speeds } from "./exact";

export type Layout = "half" | "interleaved";

/** The two dimensions that hand `hand` turns. */
export function dimensionsOfHand(hand: number, pairs: number, layout: Layout): [number, number] {
  return layout === "half" ? [hand, hand + pairs] : [2 * hand, 2 * hand + 1];
}

/** `x` with its first `2 * pairs` dimensions turned pair by pair; the rest passes through. */
export function rotate(x: ArrayLike<number>, position: number, speeds: Speeds, layout: Layout): Float64Array {
  const turned = Float64Array.from(x);
  const pairs = speeds.main.length;
  for (let hand = 0; hand < pairs; hand++) {
    const [u, v] = dimensionsOfHand(hand, pairs, layout);
    const angle = angleAt(speeds, hand, position);
    const cos = Math.cos(angle);
    const sin = Math.sin(angle);
    turned[u] = x[u] * cos - x[v] * sin;
    turned[v] = x[v] * cos + x[u] * sin;
  }
  return turned;
}
