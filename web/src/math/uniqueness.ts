// Up to where positions stay apart: clockhands.analysis.uniqueness, restated.

import { type Speeds, TURN } from "./exact";
import { chord } from "./kernel";

export interface Uniqueness {
  /** Distance between neighbouring positions, the same everywhere. */
  readonly neighbour: number;
  /** The distance at which the code comes nearest to itself, and how near. */
  readonly nearest: { readonly distance: number; readonly value: number };
  /** The first distance that looks nearer than a neighbour does. */
  readonly firstAlias: number | null;
  /** Half a turn of the slowest hand, tokens. */
  readonly slowestAlone: number;
}

const CANDIDATES = 64;

/** `curve`: cosine similarity at the distances 0 .. n. */
export function uniqueness(speeds: Speeds, invFreq: ArrayLike<number>, curve: Float64Array): Uniqueness {
  let firstAlias: number | null = null;
  for (let k = 2; k < curve.length && firstAlias === null; k++) {
    if (curve[k] > curve[1] + 1e-12) firstAlias = k;
  }
  // The curve loses half its digits where hands nearly meet: it chooses, the chords decide.
  let nearest = { distance: 1, value: chord(speeds, 1) };
  for (const distance of highest(curve, CANDIDATES)) {
    const value = chord(speeds, distance);
    if (value < nearest.value) nearest = { distance, value };
  }
  let slowest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < invFreq.length; i++) slowest = Math.min(slowest, Math.abs(invFreq[i]));
  return { neighbour: chord(speeds, 1), nearest, firstAlias, slowestAlone: TURN / 2 / slowest };
}

// The distances past 0 with the highest values, in rising order.
function highest(curve: Float64Array, count: number): number[] {
  const threshold = Float64Array.from(curve.subarray(1)).sort().at(-count) ?? Number.NEGATIVE_INFINITY;
  const found: number[] = [];
  for (let k = 1; k < curve.length; k++) if (curve[k] >= threshold) found.push(k);
  return found;
}
