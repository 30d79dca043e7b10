// Any window of an n x n map of distances, scaled down exactly, without n² anything.
//
// A map whose cells depend on the distance alone is one curve k. The mean over a block of s rows and t columns
// is a weighted mean of k over s + t - 1 distances, and blocks along a diagonal are alike: a screen of h x w
// cells needs h + w - 1 numbers. For hands the weighted mean has a closed form (Fejér's kernel).

import { angleAt, type Speeds, withinHalfATurn } from "./exact";

/** Mean of k over a block of rows and columns: the distances start at `distance` (first row - first column). */
export interface BlockMean {
  (distance: number, rows: number, columns: number): number;
  /** Of `count` such blocks, each `step` further than the one before, where that is cheaper than one by one. */
  readonly series?: (
    start: number,
    step: number,
    count: number,
    rows: number,
    columns: number,
  ) => Float64Array;
}

/** Of hands: mean_i cos(w_i middle) D(w_i, rows) D(w_i, columns), with D(w, s) = sin(ws/2) / (s sin(w/2)). */
export function handsBlockMean(given: Speeds): BlockMean {
  // At whole positions a whole number of turns a token is none, and the closed form needs a small step.
  const speeds = withinHalfATurn(given);
  const pairs = speeds.main.length;
  const halfStep = Float64Array.from({ length: pairs }, (_, i) => Math.sin(angleAt(speeds, i, 0.5)));
  const shrinks = new Map<number, Float64Array>();
  const shrink = (size: number) => {
    let found = shrinks.get(size);
    if (!found) {
      // A hand that stands still at whole positions has a half step of 0, and its mean is itself.
      found = Float64Array.from({ length: pairs }, (_, i) =>
        halfStep[i] === 0 ? 1 : Math.sin(angleAt(speeds, i, size / 2)) / (size * halfStep[i]),
      );
      shrinks.set(size, found);
    }
    return found;
  };
  const mean = (distance: number, rows: number, columns: number) => {
    const [ofRows, ofColumns] = [shrink(rows), shrink(columns)];
    const middle = distance + (rows - columns) / 2;
    let sum = 0;
    for (let i = 0; i < pairs; i++) sum += Math.cos(angleAt(speeds, i, middle)) * ofRows[i] * ofColumns[i];
    return sum / pairs;
  };
  // cos(a + b) from angles of two tables of about sqrt(count) rows: two products a hand in place of a cosine.
  const series = (start: number, step: number, count: number, rows: number, columns: number) => {
    const [ofRows, ofColumns] = [shrink(rows), shrink(columns)];
    const first = start + (rows - columns) / 2;
    const length = Math.ceil(Math.sqrt(count));
    const [across, along] = [new Float64Array(length), new Float64Array(length)];
    const means = new Float64Array(count);
    for (let i = 0; i < pairs; i++) {
      for (let r = 0; r < length; r++) {
        const angle = angleAt(speeds, i, r * step);
        across[r] = Math.cos(angle);
        along[r] = Math.sin(angle);
      }
      const size = (ofRows[i] * ofColumns[i]) / pairs;
      for (let from = 0; from < count; from += length) {
        const angle = angleAt(speeds, i, first + from * step);
        const [cos, sin] = [size * Math.cos(angle), size * Math.sin(angle)];
        const most = Math.min(length, count - from);
        for (let r = 0; r < most; r++) means[from + r] += cos * across[r] - sin * along[r];
      }
    }
    return means;
  };
  return Object.assign(mean, { series });
}

/** A curve over distances (query - key), and what is known of it. */
export interface Curve {
  readonly at: (distance: number) => number;
  /** Whether it is a straight line between two distances: there a mean is the middle of its ends. */
  readonly straight?: (from: number, to: number) => boolean;
  /** Keys ahead of the query are masked: a mean is of what is seen, and NaN where nothing is. */
  readonly causal?: boolean;
}

/** Of any curve: the sum over its distances, each as often as the block has it. */
export function curveBlockMean({ at, straight, causal = false }: Curve): BlockMean {
  return (distance, rows, columns) => {
    const [from, to] = [distance - columns + 1, distance + rows - 1];
    const start = causal ? Math.max(from, 0) : from;
    if (start > to) return Number.NaN;
    if (start === from && straight?.(from, to)) return (at(from) + at(to)) / 2;
    const shorter = Math.min(rows, columns);
    let [sum, count] = [0, 0];
    for (let each = start; each <= to; each++) {
      const d = each - distance;
      const often = Math.min(d + columns, rows - d, shorter);
      sum += at(each) * often;
      count += often;
    }
    return sum / count;
  };
}

export interface Window {
  /** Positions in all, and how many a cell has on each side. */
  readonly n: number;
  readonly size: number;
  /** First position of the first row and of the first column. */
  readonly row: number;
  readonly column: number;
  /** Cells down and across. */
  readonly height: number;
  readonly width: number;
}

/** How many cells of `size` hold the positions from `start` to n, at most `most`. */
export function cellsFrom(start: number, n: number, size: number, most: number): number {
  return Math.max(0, Math.min(most, Math.ceil((n - start) / size)));
}

/** The means of a window, row by row; a last cell that n cuts short is the mean of what it has. */
export function blockMeans(mean: BlockMean, window: Window): Float64Array {
  const { n, size, row, column, height, width } = window;
  const series = (start: number, step: number, count: number, rows: number, columns: number) =>
    mean.series?.(start, step, count, rows, columns) ??
    Float64Array.from({ length: count }, (_, k) => mean(start + k * step, rows, columns));
  const [rows, columns] = [n - row - (height - 1) * size, n - column - (width - 1) * size]; // left for the last
  const [down, across] = [rows < size ? height - 1 : height, columns < size ? width - 1 : width];
  const values = new Float64Array(height * width);
  if (down > 0 && across > 0) {
    // A diagonal of whole cells is one number.
    const whole = series(row - column - (across - 1) * size, size, down + across - 1, size, size);
    for (let i = 0; i < down; i++)
      for (let j = 0; j < across; j++) values[i * width + j] = whole[i - j + across - 1];
  }
  const [top, left] = [row + down * size, column + across * size];
  if (across < width)
    series(row - left, size, down, size, columns).forEach((value, i) => {
      values[i * width + across] = value;
    });
  if (down < height) {
    const last = series(top - column, -size, across, rows, size);
    values.set(last, down * width);
    if (across < width) values[height * width - 1] = mean(top - left, rows, columns);
  }
  return values;
}
