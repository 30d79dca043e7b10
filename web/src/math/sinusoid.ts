// The row of a sinusoidal table in every convention in use: clockhands.formulas.sinusoid, restated.

import { angleAt, type Speeds } from "./exact";

export type Arrangement = "interleaved" | "concatenated";
export type First = "sin" | "cos";

/** Which hand dimension `dim` belongs to, and whether it is its sine. */
export function handOfDimension(
  dim: number,
  width: number,
  arrangement: Arrangement,
  first: First,
): { hand: number; sine: boolean } {
  const pairs = Math.floor((width + 1) / 2);
  if (arrangement === "interleaved") {
    const last = width % 2 === 1 && dim === width - 1; // an odd width keeps only the sine of the last hand
    return { hand: dim >> 1, sine: last || (dim % 2 === 0) === (first === "sin") };
  }
  const sines = first === "sin" ? 0 : Math.floor(width / 2);
  const inFirstHalf = first === "sin" ? dim < pairs : dim < sines;
  if (first === "sin") return inFirstHalf ? { hand: dim, sine: true } : { hand: dim - pairs, sine: false };
  return inFirstHalf ? { hand: dim, sine: false } : { hand: dim - sines, sine: true };
}

/** All `width` numbers of one position. */
export function sinusoidRow(
  position: number,
  speeds: Speeds,
  width: number,
  arrangement: Arrangement = "interleaved",
  first: First = "sin",
): Float64Array {
  return Float64Array.from({ length: width }, (_, dim) => {
    const { hand, sine } = handOfDimension(dim, width, arrangement, first);
    const angle = angleAt(speeds, hand, position);
    return sine ? Math.sin(angle) : Math.cos(angle);
  });
}
