// What is left of positions and angles in 16 and 32 bits: clockhands.analysis.precision, restated.

import { angleAt, type Speeds } from "./exact";

export type Precision = "bf16" | "fp16" | "fp32";
export const PRECISIONS: readonly Precision[] = ["fp32", "bf16", "fp16"];

const single = new Float32Array(1);
const bits = new Uint32Array(single.buffer);

/** `value` rounded to nearest, ties to even. */
export function rounded(value: number, precision: Precision): number {
  if (precision === "fp32") return Math.fround(value);
  return precision === "fp16" ? toHalf(value) : toBfloat16(value);
}

function toBfloat16(value: number): number {
  if (Number.isNaN(value)) return value;
  single[0] = value;
  bits[0] = (bits[0] + 0x7fff + ((bits[0] >>> 16) & 1)) & 0xffff0000;
  return single[0];
}

function toHalf(value: number): number {
  const size = Math.abs(value);
  if (!(size > 0) || size === Number.POSITIVE_INFINITY) return value;
  const exponent = Math.max(Math.floor(Math.log2(size)), -14);
  const quantum = 2 ** (exponent - 10);
  const ratio = size / quantum; // exact: the divisor is a power of two
  let whole = Math.floor(ratio);
  const past = ratio - whole;
  if (past > 0.5 || (past === 0.5 && whole % 2 === 1)) whole++;
  const result = whole * quantum;
  return Math.sign(value) * (result >= 65536 ? Number.POSITIVE_INFINITY : result);
}

export interface DistinctPositions {
  readonly distinct: number;
  readonly firstClash: number | null;
  readonly worstShift: number;
}

/** Which of the positions 0 .. n-1 a precision tells apart. */
export function distinctPositions(n: number, precision: Precision): DistinctPositions {
  let distinct = 0;
  let firstClash: number | null = null;
  let worstShift = 0;
  let previous = Number.NaN;
  for (let position = 0; position < n; position++) {
    const stored = rounded(position, precision);
    if (stored !== previous) distinct++;
    else firstClash ??= position - 1;
    worstShift = Math.max(worstShift, Math.abs(stored - position));
    previous = stored;
  }
  return { distinct, firstClash, worstShift };
}

/** Worst error over all hands, rad, of angles whose speed, position and product are kept in `precision`. */
export function angleError(invFreq: ArrayLike<number>, position: number, precision: Precision): number {
  const at = rounded(position, precision);
  let worst = 0;
  for (let i = 0; i < invFreq.length; i++) {
    const product = rounded(at * rounded(invFreq[i], precision), precision);
    if (!Number.isFinite(product)) return Number.POSITIVE_INFINITY;
    worst = Math.max(worst, Math.abs(product - position * invFreq[i]));
  }
  return worst;
}

/** Worst error over all hands of the sine or cosine that comes of it. */
export function tipError(
  speeds: Speeds,
  invFreq: ArrayLike<number>,
  position: number,
  precision: Precision,
): number {
  const at = rounded(position, precision);
  let worst = 0;
  for (let i = 0; i < invFreq.length; i++) {
    const product = rounded(at * rounded(invFreq[i], precision), precision);
    if (!Number.isFinite(product)) return Number.POSITIVE_INFINITY;
    const angle = angleAt(speeds, i, position);
    worst = Math.max(
      worst,
      Math.abs(Math.sin(product) - Math.sin(angle)),
      Math.abs(Math.cos(product) - Math.cos(angle)),
    );
  }
  return worst;
}
