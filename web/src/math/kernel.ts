// Similarity of two positions by their distance: clockhands.analysis.kernel and .horizon, restated.

import { angleAt, type Speeds } from "./exact";

/** Cosine similarity at one distance: the mean of the hands' cosines. Standing hands count as 1. */
export function kernelAt(speeds: Speeds, distance: number): number {
  const pairs = speeds.main.length;
  let sum = 0;
  for (let i = 0; i < pairs; i++) sum += Math.cos(angleAt(speeds, i, distance));
  return sum / pairs;
}

/** Cosine similarity at the distances `start .. start + n - 1`, from two tables of about sqrt(n) rows. */
export function kernelRange(speeds: Speeds, n: number, start = 0): Float64Array {
  const pairs = speeds.main.length;
  const length = Math.floor(Math.sqrt(n - 1)) + 1;
  const blocks = Math.ceil(n / length);
  const rests = handTable(speeds, length, (r) => r);
  const values = new Float64Array(n);
  for (let block = 0; block < blocks; block++) {
    const from = handTable(speeds, 1, () => start + block * length);
    for (let r = 0; r < length && block * length + r < n; r++) {
      let sum = 0;
      const at = 2 * pairs * r;
      for (let i = 0; i < pairs; i++)
        sum += from[2 * i] * rests[at + 2 * i] - from[2 * i + 1] * rests[at + 2 * i + 1];
      values[block * length + r] = sum / pairs;
    }
  }
  return values;
}

/** `|PE(p) - PE(p + k)|` at distance k, free of the cancellation in `2 (K(0) - K(k))`. */
export function chord(speeds: Speeds, distance: number): number {
  let sum = 0;
  for (let i = 0; i < speeds.main.length; i++) sum += Math.sin(angleAt(speeds, i, distance / 2)) ** 2;
  return 2 * Math.sqrt(sum);
}

const NOISE = 1e-13; // a step of the kernel smaller than this is rounding, not a rise

export interface Horizon {
  readonly firstRise: number | null;
  readonly risingShare: number;
  readonly firstNegative: number | null;
  readonly lowest: { readonly distance: number; readonly value: number };
  /** The highest value past the first rise: the distance most easily taken for a near one. */
  readonly echo: { readonly distance: number; readonly value: number } | null;
}

/** What a similarity curve over the distances 0 .. n does; `curve` has n + 1 values. */
export function horizon(curve: Float64Array): Horizon {
  let firstRise: number | null = null;
  let firstNegative: number | null = null;
  let rises = 0;
  let lowest = 0;
  let echo = -1;
  for (let k = 0; k < curve.length; k++) {
    if (curve[k] < curve[lowest]) lowest = k;
    if (firstNegative === null && curve[k] < 0) firstNegative = k;
    if (k + 1 < curve.length && curve[k + 1] - curve[k] > NOISE) {
      rises++;
      firstRise ??= k;
    }
    if (firstRise !== null && k > firstRise && (echo < 0 || curve[k] > curve[echo])) echo = k;
  }
  return {
    firstRise,
    risingShare: curve.length > 1 ? rises / (curve.length - 1) : 0,
    firstNegative,
    lowest: { distance: lowest, value: curve[lowest] },
    echo: echo < 0 ? null : { distance: echo, value: curve[echo] },
  };
}

// (cos, sin) of every hand at `count` positions, row by row.
function handTable(speeds: Speeds, count: number, place: (row: number) => number): Float64Array {
  const pairs = speeds.main.length;
  const table = new Float64Array(2 * pairs * count);
  for (let row = 0; row < count; row++) {
    for (let i = 0; i < pairs; i++) {
      const angle = angleAt(speeds, i, place(row));
      table[2 * (row * pairs + i)] = Math.cos(angle);
      table[2 * (row * pairs + i) + 1] = Math.sin(angle);
    }
  }
  return table;
}
