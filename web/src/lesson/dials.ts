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

/** Dials side by side, as many as there are hands, at most four. */
function each(width: number, dim: number, draw: (i: number, x: number, y: number, r: number) => void): void {
  const count = Math.min(dim / 2, MOST);
  const step = width / count;
  for (let i = 0; i < count; i++) draw(i, step * (i + 0.5), 80, Math.min(step / 2 - 8, 68));
}

export const move: Picture = {
  height: () => 160,
  draw: (pen, scene) => {
    const { state } = scene;
    const speeds = speedsOf(scene);
    each(pen.width, state.dim.value, (i, x, y, r) => {
      ring(pen, x, y, r);
      const [from, to] = [0, state.shift.value].map((k) => angleAt(speeds, i, state.pos.value + k));
      const arc = angleAt(speeds, i, state.shift.value);
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

function turned(scene: Scene): [Float64Array, Float64Array] {
  const { dim, pos, other, layout } = scene.state;
  const [q, k] = vectors(dim.value);
  const speeds = speedsOf(scene);
  return [rotate(q, pos.value, speeds, layout.value), rotate(k, other.value, speeds, layout.value)];
}

export const turning: Picture = {
  height: () => 160,
  draw: (pen, scene) => {
    const { dim, layout } = scene.state;
    const both = turned(scene);
    const longest = Math.max(...both.flatMap((v) => [...v].map(Math.abs))) * 1.42;
    each(pen.width, dim.value, (i, x, y, r) => {
      ring(pen, x, y, r);
      const [u, v] = dimensionsOfHand(i, dim.value / 2, layout.value);
      const scale = r / longest;
      hand(pen, x, y, scale * both[1][v], scale * both[1][u], LINES[0], true);
      hand(pen, x, y, scale * both[0][v], scale * both[0][u], pen.palette.accent);
    });
  },
};

const ofMove = (of: (angle: number) => number) => (scene: Scene) =>
  fixed(of(angleAt(speedsOf(scene), 0, scene.state.shift.value)), 4);

export const dialValues: Values = {
  cosine: ofMove(Math.cos),
  sine: ofMove(Math.sin),
  minus: ofMove((angle) => -Math.sin(angle)),
  score: (scene) => fixed(dot(...turned(scene)), 4),
  norm: (scene) => fixed(Math.hypot(...turned(scene)[0]), 4),
  distance: ({ state }) => number(state.pos.value - state.other.value),
};
