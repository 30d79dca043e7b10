// What a picture of the lesson is: drawn from the state, with values that its sentences name.

import type { Pen } from "../draw/canvas";
import { line } from "../draw/plot";
import { TURN } from "../math/exact";
import type { Scene } from "../scene";

export interface Picture {
  readonly height: (width: number) => number;
  readonly draw: (pen: Pen, scene: Scene, data: string) => void;
}

/** What a sentence of the lesson may name, as it is now. */
export type Values = Record<string, (scene: Scene) => string>;

export const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
};

export function ring({ ctx, palette }: Pen, x: number, y: number, r: number): void {
  ctx.strokeStyle = palette.rule;
  ctx.beginPath();
  ctx.arc(x, y, r, 0, TURN);
  ctx.stroke();
}

/** A hand to (across, up) from the middle; a hollow tip is the one compared with. */
export function hand(
  { ctx, palette }: Pen,
  x: number,
  y: number,
  across: number,
  up: number,
  colour: string,
  hollow = false,
): void {
  ctx.strokeStyle = ctx.fillStyle = colour;
  ctx.lineWidth = hollow ? 1.2 : 2.4;
  line(ctx, x, y, x + across, y - up);
  ctx.beginPath();
  ctx.arc(x + across, y - up, 4, 0, TURN);
  if (hollow) ctx.fillStyle = palette.panel;
  ctx.fill();
  ctx.stroke();
  ctx.lineWidth = 1;
}
