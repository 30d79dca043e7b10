// A ladder of one's own: log10 of each hand's speed bent through control points, then mixed and cut.

export interface Point {
  /** Place along the hands: hand i of n stands at i / n. */
  readonly x: number;
  /** log10 of the speed, rad / token. */
  readonly y: number;
}

export interface Ladder {
  /** Of the first layer, and of the last where layers differ; each between goes a straight way in y. */
  readonly bend: readonly Point[];
  readonly deep: readonly Point[];
  readonly layers: number;
  readonly depth: number;
  /** Weight of even steps from 1 to LINEAR_END, which are averaged in. */
  readonly line: number;
  /** Share of dimensions that turn; slower hands stand still. */
  readonly moves: number;
}

export const LINEAR_END = 0.01;
export const [SLOWEST, FASTEST] = [-9, Math.log10(Math.PI)]; // faster hands only look slower
export const GAP = 0.001; // between two points; a jump from band to band is so wide
const MOST_POINTS = 24;

/** Straight between points, level beyond them. */
export function bent(points: readonly Point[], x: number): number {
  const k = points.findIndex((point) => point.x >= x);
  if (k < 0) return points[points.length - 1].y;
  const [to, from] = [points[k], points[k - 1]];
  return from === undefined || to.x === x
    ? to.y
    : from.y + ((to.y - from.y) / (to.x - from.x)) * (x - from.x);
}

/** Weight of the last layer's ladder in this one. */
export const alongLayers = ({ layers, depth }: Ladder) =>
  layers > 1 ? Math.min(depth, layers - 1) / (layers - 1) : 0;

export function ladderInvFreq(dim: number, ladder: Ladder): Float64Array {
  const { bend, line, moves } = ladder;
  const n = Math.floor(dim / 2);
  const deep = ladder.deep.length ? ladder.deep : bend;
  const t = alongLayers(ladder);
  const moving = movingHands(dim, moves);
  return Float64Array.from({ length: n }, (_, i) => {
    const log = 10 ** ((1 - t) * bent(bend, i / n) + t * bent(deep, i / n));
    const even = n > 1 ? 1 + ((LINEAR_END - 1) * i) / (n - 1) : 1;
    return i < moving ? (1 - line) * log + line * even : 0;
  });
}

export const movingHands = (dim: number, moves: number) => Math.floor(Math.floor(moves * dim) / 2);

/** `0_0~1_-4`: written so that an address needs no escapes. */
export const written = (points: readonly Point[]) => points.map(({ x, y }) => `${x}_${y}`).join("~");

/** The points that a text names, in order and within bounds; null where it names fewer than two. */
export function pointsOf(text: string): readonly Point[] | null {
  const points: Point[] = [];
  for (const [, x, y] of text.slice(0, 2000).matchAll(/([\d.]+)_(-?[\d.]+)/g)) {
    const [at, height] = [Number(x), Number(y)];
    const last = points[points.length - 1];
    if (!(at >= (last ? last.x + GAP : 0) && at <= 1) || !Number.isFinite(height)) continue;
    if (points.length < MOST_POINTS) points.push({ x: at, y: Math.min(Math.max(height, SLOWEST), FASTEST) });
  }
  return points.length < 2 ? null : points;
}
