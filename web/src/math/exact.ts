// Angles that stay right far out, as clockhands.analysis.exact_angle has them: speed times position is kept
// as a sum of two doubles, whole turns are taken off, and what is left is rounded once.

export const TURN = 2 * Math.PI;

// 1 / (2 pi) to 106 bits, as a sum of two doubles.
const PER_TURN = 0.15915494309189535;
const PER_TURN_REST = -9.839338337591243e-18;
const SPLITTER = 2 ** 27 + 1;

/** Turns a token of each hand, as the sum `main + rest`. */
export interface Speeds {
  readonly main: Float64Array;
  readonly rest: Float64Array;
}

/** Speeds in rad / token to turns / token, to 106 bits. */
export function turnsPerToken(invFreq: ArrayLike<number>): Speeds {
  const main = new Float64Array(invFreq.length);
  const rest = new Float64Array(invFreq.length);
  for (let i = 0; i < invFreq.length; i++) {
    const product = invFreq[i] * PER_TURN;
    const tail = productError(invFreq[i], PER_TURN, product) + invFreq[i] * PER_TURN_REST;
    main[i] = product + tail;
    rest[i] = tail - (main[i] - product);
  }
  return { main, rest };
}

/** The same hands at whole positions, without the whole turns from one position to the next. */
export function withinHalfATurn(speeds: Speeds): Speeds {
  return { main: speeds.main.map((turns) => turns - rint(turns)), rest: speeds.rest };
}

/** Where hand `i` stands at `position`, in turns from -1/2 to 1/2. */
export function turnAt(speeds: Speeds, i: number, position: number): number {
  const main = speeds.main[i];
  const product = main * position;
  let turns = product - rint(product);
  turns += productError(main, position, product);
  turns += speeds.rest[i] * position;
  return turns - rint(turns);
}

/** The angle of hand `i` at `position`, rad in [-pi, pi]. */
export function angleAt(speeds: Speeds, i: number, position: number): number {
  return turnAt(speeds, i, position) * TURN;
}

/** Nearest whole number, ties to even, as numpy's rint. */
export function rint(x: number): number {
  const floor = Math.floor(x);
  const past = x - floor;
  if (past !== 0.5) return past < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}

// What rounding took from `a * b`, exactly (Dekker 1971).
function productError(a: number, b: number, product: number): number {
  const aShifted = SPLITTER * a;
  const aHigh = aShifted - (aShifted - a);
  const aLow = a - aHigh;
  const bShifted = SPLITTER * b;
  const bHigh = bShifted - (bShifted - b);
  const bLow = b - bHigh;
  return aHigh * bHigh - product + aHigh * bLow + aLow * bHigh + aLow * bLow;
}
