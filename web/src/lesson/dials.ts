// Small dials: a move by k as one turn, and a query and a key that are turned.

import { LINES } from "../draw/palette";
import { angleAt, turnsPerToken } from "../math/exact";
import { sinusoidInvFreq } from "../math/frequencies";
import { normals } from "../math/random";
import { dimensionsOfHand, rotate } from "../math/rotation";
import type { Scene } from "../scene";
import { fixed, number } from "../words";
import { dot, hand, type Picture, ring, type Values } from "./picture";

const speedsOf = ({ state }: Scene) => turnsPerToken(sinusoidInvFreq(state.dim.value, state.base.value));
const MOST = 4;

/** Hands that have a dial: the fastest, at most four. */
export const dialsOf = ({ state }: Scene) => Math.min(state.dim.value / 2, MOST);

/** Dials side by side. */
function each(
  width: number,
  count: number,
  draw: (i: number, x: number, y: number, r: number) => void,
): void {
  const step = width / count;
  for (let i = 0; i < count; i++) draw(i, step * (i + 0.5), 80, Math.min(step / 2 - 8, 68));
}

/** Angles of a hand at the position and after the move, and of the move itself, rad. */
export function moved(scene: Scene, i: number): [number, number, number] {
  const { pos, shift } = scene.state;
  const angle = (p: number) => angleAt(speedsOf(scene), i, p);
  return [angle(pos.value), angle(pos.value + shift.value), angle(shift.value)];
}

export const move: Picture = {
  height: () => 160,
  draw: (pen, scene) => {
    each(pen.width, dialsOf(scene), (i, x, y, r) => {
      ring(pen, x, y, r);
      const [from, to, arc] = moved(scene, i);
      pen.ctx.fillStyle = LINES[4];
      pen.ctx.globalAlpha = 0.3;
      pen.ctx.beginPath();
      pen.ctx.moveTo(x, y);
      pen.ctx.arc(x, y, r * 0.6, from - Math.PI / 2, from + arc - Math.PI / 2, arc < 0);
      pen.ctx.fill();
      pen.ctx.globalAlpha = 1;
      hand(pen, x, y, r * Math.sin(from), r * Math.cos(from), pen.palette.quiet, true);
      hand(pen, x, y, r * Math.sin(to), r * Math.cos(to), pen.palette.accent);
    });
  },
};

const vectors = (dim: number) => [normals(dim, 1), normals(dim, 2)] as const;

function both(scene: Scene): [Float64Array, Float64Array] {
  const { dim, pos, other, layout } = scene.state;
  const [q, k] = vectors(dim.value);
  const speeds = speedsOf(scene);
  return [rotate(q, pos.value, speeds, layout.value), rotate(k, other.value, speeds, layout.value)];
}

/** Where the hands of the query and of the key point, each as (across, up). */
export function turned(scene: Scene): [number, number][][] {
  const { dim, layout } = scene.state;
  return both(scene).map((vector) =>
    Array.from({ length: dim.value / 2 }, (_, i) => {
      const [u, v] = dimensionsOfHand(i, dim.value / 2, layout.value);
      return [vector[v], vector[u]];
    }),
  );
}

export const turning: Picture = {
  height: () => 160,
  draw: (pen, scene) => {
    const [q, k] = turned(scene);
    const longest = Math.max(...[q, k].flat(2).map(Math.abs)) * 1.42;
    each(pen.width, dialsOf(scene), (i, x, y, r) => {
      ring(pen, x, y, r);
      const at = (vector: typeof q) => vector[i].map((value) => (value * r) / longest) as [number, number];
      hand(pen, x, y, ...at(k), LINES[0], true);
      hand(pen, x, y, ...at(q), pen.palette.accent);
    });
  },
};

const ofMove = (of: (angle: number) => number) => (scene: Scene) =>
  fixed(of(angleAt(speedsOf(scene), 0, scene.state.shift.value)), 4);

export const dialValues: Values = {
  cosine: ofMove(Math.cos),
  sine: ofMove(Math.sin),
  minus: ofMove((angle) => -Math.sin(angle)),
  score: (scene) => fixed(dot(...both(scene)), 4),
  norm: (scene) => fixed(Math.hypot(...both(scene)[0]), 4),
  distance: ({ state }) => number(state.pos.value - state.other.value),
};
