// What a scheme is to the views: hands, a bias by distance, a table, any of them or none.

import {
  type BlockMean,
  blockMeans,
  type Curve,
  curveBlockMean,
  handsBlockMean,
  type Window,
} from "../math/blocks";
import { type Speeds, turnsPerToken } from "../math/exact";
import type { Layout } from "../math/rotation";
import type { Arrangement, First } from "../math/sinusoid";
import type { Text } from "../words";
import type { Pairs } from "./queries";

export interface Hands {
  /** rad / token, as the model has them. */
  readonly invFreq: Float64Array;
  readonly speeds: Speeds;
  /** The same hands before any scaling: what training showed. */
  readonly plain: Float64Array;
  /** Tokens of the texts trained on, where a scaling goes past them. */
  readonly trained: number | null;
  readonly attentionFactor: number;
}

export interface Bias {
  readonly heads: number;
  /** Of head `head`. */
  readonly curve: (head: number) => Curve;
  /** Smallest and largest value among `length` positions, of any distance to either side. */
  readonly range: (head: number, length: number) => readonly [number, number];
  /** Several heads alike: buckets are the same for all. */
  readonly shared: boolean;
  readonly unit: Text;
  readonly name: Text;
}

/** Numbers of every position: what is added, or the angle of the hand that turns a dimension. */
export interface Table {
  readonly width: number;
  readonly kind: "signed" | "phase";
  readonly value: (position: number, dimension: number) => number;
  /** What a dimension is. */
  readonly dimension: (dimension: number) => Text;
  /** Colour limit of signed numbers. */
  readonly limit: number;
}

export interface Subject {
  readonly title: Text;
  readonly idea: Text;
  readonly hands: Hands | null;
  readonly bias: Bias | null;
  readonly table: Table | null;
  /** Mean of the unit rows of a block of positions, where similarity is no function of distance. */
  readonly meanRow: ((start: number, size: number) => Float64Array) | null;
  /** Of columns, where they are others than the rows; the map then has no fixed limits, and this name. */
  readonly meanColumn?: (start: number, size: number) => Float64Array;
  readonly mapName?: Text;
  /** Pairs of dimensions of queries and keys. */
  readonly pairs?: Pairs;
  /** Positions it has rows for; null: any. */
  readonly rows: number | null;
  /** What must be said beside every picture of it. */
  readonly caution: Text | null;
  /** How pairs of dimensions lie, for the words of views. */
  readonly layout?: Layout;
  readonly arrangement?: Arrangement;
  readonly first?: First;
}

export const NOTHING = {
  hands: null,
  bias: null,
  table: null,
  meanRow: null,
  rows: null,
  caution: null,
} as const;

export function hands(
  invFreq: Float64Array,
  plain: Float64Array = invFreq,
  trained: number | null = null,
  attentionFactor = 1,
): Hands {
  return { invFreq, speeds: turnsPerToken(invFreq), plain, trained, attentionFactor };
}

/** Means of the map that a scheme has, of its hands or of a head's bias; null where it has none. */
export function blockMeanOf(subject: Subject, head: number): BlockMean | null {
  if (subject.hands) return handsBlockMean(subject.hands.speeds);
  if (subject.bias) return curveBlockMean(subject.bias.curve(Math.min(head, subject.bias.heads - 1)));
  return null;
}

/** A window of the scheme's map, row by row; null where it has no map. */
export function mapOf(subject: Subject, head: number): ((window: Window) => Float64Array) | null {
  const mean = blockMeanOf(subject, head);
  if (mean) return (window) => blockMeans(mean, window);
  const { meanRow, meanColumn = meanRow } = subject;
  return meanRow && ((window) => productOfMeans(meanRow, meanColumn!, window));
}

// The mean of all products of two blocks of rows is the product of their means.
function productOfMeans(
  meanRow: (start: number, size: number) => Float64Array,
  meanColumn: (start: number, size: number) => Float64Array,
  window: Window,
): Float64Array {
  const { n, size, row, column, height, width } = window;
  const means = (mean: typeof meanRow, start: number, count: number) =>
    Array.from({ length: count }, (_, k) => mean(start + k * size, Math.min(size, n - start - k * size)));
  const [down, across] = [means(meanRow, row, height), means(meanColumn, column, width)];
  const values = new Float64Array(height * width);
  for (let i = 0; i < height; i++) {
    for (let j = 0; j < width; j++) {
      let sum = 0;
      for (let d = 0; d < down[i].length; d++) sum += down[i][d] * across[j][d];
      values[i * width + j] = sum;
    }
  }
  return values;
}
