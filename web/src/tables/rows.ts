// What a table is: the numbers of a picture, row by row, each made when it is asked for.

import { same, T, type Text } from "../words";

export interface Rows {
  /** The first column names the rows. */
  readonly head: readonly Text[];
  readonly count: number;
  readonly row: (k: number) => readonly string[];
  /** Of what is drawn, the part that is in the table; without it all is. */
  readonly part?: Text;
}

export const NEARBY = T("What is next to the place looked at:", "所看位置附近：");

/** How a cell stands that nothing is shown in. */
export const MASKED = T("masked", "遮住");

export const MOST_CELLS = 33; // of a map on a side: more is neither read nor heard

/** Where a part of `cells` begins that has the cell `at` in its middle, or as near as the edge lets it. */
export const partOf = (cells: number, at: number): number =>
  Math.max(0, Math.min(at - (MOST_CELLS >> 1), cells - MOST_CELLS));

/** A square of numbers: names of its columns, and each row's name and cells. */
export const square = (
  columns: readonly string[],
  count: number,
  row: (i: number) => readonly string[],
): Rows => ({ head: [same("i \\ j"), ...columns.map(same)], count, row });
