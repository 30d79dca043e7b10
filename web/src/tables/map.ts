// The cells of a map as they are drawn: all of a small one, of a large one those around the cell looked at.

import { number, say } from "../words";
import { MASKED, MOST_CELLS, NEARBY, partOf, type Rows, square } from "./rows";

/** Cells of `size` positions a side, from `row` and `column` on. */
interface Part {
  readonly size: number;
  readonly row: number;
  readonly column: number;
  readonly height: number;
  readonly width: number;
}

/** What a map draws of `window`, row by row, and the pair of positions that is looked at. */
export interface Seen<Window extends Part> {
  readonly window: Window;
  readonly values: (part: Window) => Float64Array;
  readonly at: readonly [number, number];
  /** What stands in a row of one position; of several it is said from where to where they go. */
  readonly name?: (position: number) => string;
}

const place = (position: number) => number(position, 9);

export function mapped<Window extends Part>({ window, values, at, name = place }: Seen<Window>): Rows {
  const { size } = window;
  const [top, left] = [
    partOf(window.height, Math.floor((at[0] - window.row) / size)),
    partOf(window.width, Math.floor((at[1] - window.column) / size)),
  ];
  const [row, column] = [window.row + top * size, window.column + left * size];
  const [height, width] = [window.height, window.width].map((all) => Math.min(all, MOST_CELLS));
  const found = values({ ...window, row, column, height, width });
  const named = (start: number) => (size > 1 ? `${place(start)}–${place(start + size - 1)}` : name(start));
  const across = Array.from({ length: width }, (_, j) => j);
  const all = square(
    across.map((j) => named(column + j * size)),
    height,
    (i) => [
      named(row + i * size),
      ...across.map((j) => {
        const value = found[i * width + j];
        return Number.isNaN(value) ? say(MASKED) : number(value, 3);
      }),
    ],
  );
  return height < window.height || width < window.width ? { ...all, part: NEARBY } : all;
}
