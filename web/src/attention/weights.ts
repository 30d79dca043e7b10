// Attention weights, computed where they are looked at: exp(scale · <q, k> + bias − lse), in double precision.

import type { Sentence } from "./read";

/** Weights of query `i` on the keys `from` … `to` − 1, into the start of `into`; NaN where masked. */
export type Row = (i: number, from: number, to: number, into: Float64Array) => void;

export function rowsOf(one: Sentence, layer: number, head: number): Row {
  const { q, k, lse, bias, weights, width, causal } = one;
  const count = one.tokens.length;
  const at = layer * one.heads + head;
  const masked = (i: number, from: number, to: number, into: Float64Array) => {
    const end = causal ? Math.min(to, i + 1) : to;
    for (let j = Math.max(end, from); j < to; j++) into[j - from] = Number.NaN;
    return end;
  };
  if (weights || !q || !k || !lse) {
    return (i, from, to, into) => {
      const end = masked(i, from, to, into);
      for (let j = from; j < end; j++) into[j - from] = weights![(at * count + i) * count + j];
    };
  }
  const group = one.heads / one.keyHeads;
  const keys = (layer * one.keyHeads + Math.floor(head / group)) * count * width;
  const query = new Float64Array(width);
  return (i, from, to, into) => {
    for (let d = 0; d < width; d++) query[d] = q[(at * count + i) * width + d] * one.scale[layer];
    const end = masked(i, from, to, into);
    const sum = lse[at * count + i];
    const near = at * (2 * count - 1) + i + count - 1;
    for (let j = from; j < end; j++) {
      const place = keys + j * width;
      let logit = bias ? bias[near - j] : 0;
      for (let d = 0; d < width; d++) logit += query[d] * k[place + d];
      into[j - from] = Math.exp(logit - sum);
    }
  };
}

/** Cells on a side of a tile. */
export const SIDE = 64;
const MOST_TILES = 512;

/** A part of a map: each cell holds `size` × `size` pairs, and their sum, count and largest weight. */
export interface Tile {
  readonly size: number;
  readonly top: number;
  readonly left: number;
  readonly sum: Float64Array;
  readonly count: Float64Array;
  readonly most: Float64Array;
  /** The query that is looked at next. */
  next: number;
}

/** How a token takes part: as any other, without a say in the colour scale, or not at all. */
export type Part = 0 | 1 | 2;

/** One head at every level of detail, made tile by tile. */
export class Pyramid {
  /** The largest weight that was met. */
  most = 0;
  private readonly tiles = new Map<string, Tile>();
  private readonly queue: Tile[] = [];
  private weights = new Float64Array(0);

  constructor(
    readonly count: number,
    readonly row: Row,
    readonly part: (token: number, key: boolean) => Part,
  ) {}

  /** The tile whose first cell is `down`, `across` tiles from the corner; filled as there is time to `work`. */
  tile(size: number, down: number, across: number): Tile {
    const name = `${size} ${down} ${across}`;
    const [top, left] = [down * SIDE * size, across * SIDE * size];
    const cells = () => new Float64Array(SIDE * SIDE);
    const found = this.tiles.get(name) ?? {
      size,
      top,
      left,
      sum: cells(),
      count: cells(),
      most: cells(),
      next: top,
    };
    this.tiles.delete(name);
    this.tiles.set(name, found); // the last that was asked for is the last to be forgotten
    if (found.next === top) this.queue.push(found);
    for (const old of this.tiles.keys()) {
      if (this.tiles.size <= MOST_TILES) break;
      this.tiles.delete(old);
    }
    return found;
  }

  /** Fill tiles until the clock shows `until` (ms); whether any is left. */
  work(until: number): boolean {
    for (;;) {
      const tile = this.queue.at(-1);
      if (!tile) return false;
      const end = Math.min(tile.top + SIDE * tile.size, this.count);
      while (tile.next < end) {
        if (performance.now() > until) return true;
        this.fill(tile);
      }
      this.queue.pop();
    }
  }

  private fill(tile: Tile): void {
    const i = tile.next++;
    if (this.part(i, false) > 1) return;
    const to = Math.min(tile.left + SIDE * tile.size, this.count);
    if (to - tile.left > this.weights.length) this.weights = new Float64Array(to - tile.left);
    const { weights } = this;
    this.row(i, tile.left, to, weights);
    const start = Math.floor((i - tile.top) / tile.size) * SIDE;
    for (let j = tile.left; j < to; j++) {
      const weight = weights[j - tile.left];
      const part = this.part(j, true);
      if (Number.isNaN(weight) || part > 1) continue;
      const cell = start + Math.floor((j - tile.left) / tile.size);
      tile.sum[cell] += weight;
      tile.count[cell]++;
      if (weight > tile.most[cell]) tile.most[cell] = weight;
      if (weight > this.most && !part) this.most = weight;
    }
  }
}

export interface Window {
  readonly size: number;
  /** The first query and key, whole cells from the corner. */
  readonly row: number;
  readonly column: number;
  /** Cells. */
  readonly height: number;
  readonly width: number;
}

/** Sums, counts and largest weights of a window, cell by cell, as far as they are made. */
export function shown(pyramid: Pyramid, window: Window, until: number) {
  const { size, height, width } = window;
  const [top, left] = [window.row / size, window.column / size];
  const tiles: [number, number, Tile][] = [];
  for (let y = Math.floor(top / SIDE); y * SIDE < top + height; y++)
    for (let x = Math.floor(left / SIDE); x * SIDE < left + width; x++)
      tiles.push([y * SIDE - top, x * SIDE - left, pyramid.tile(size, y, x)]);
  const more = pyramid.work(until);
  const cells = () => new Float64Array(height * width);
  const found = { sum: cells(), count: cells(), most: cells(), more };
  for (const [down, across, tile] of tiles) {
    for (let r = Math.max(0, -down); r < SIDE && down + r < height; r++) {
      const from = Math.max(0, -across);
      const to = Math.min(SIDE, width - across);
      if (to <= from) continue;
      const place = (down + r) * width + across + from;
      for (const name of ["sum", "count", "most"] as const)
        found[name].set(tile[name].subarray(r * SIDE + from, r * SIDE + to), place);
    }
  }
  return found;
}

/** The rank of each value in its row, from 0 to 1; equal values have the lowest of theirs. */
export function ranks(values: Float64Array, width: number): Float64Array {
  const found = new Float64Array(values.length).fill(Number.NaN);
  for (let start = 0; start < values.length; start += width) {
    const seen = Array.from({ length: width }, (_, n) => start + n).filter((n) => !Number.isNaN(values[n]));
    seen.sort((a, b) => values[a] - values[b]);
    seen.forEach((n, rank) => {
      const before = seen[rank - 1];
      found[n] = rank && values[before] === values[n] ? found[before] : rank / Math.max(1, seen.length - 1);
    });
  }
  return found;
}
