// Axes of the line charts: a frame, round ticks, a scale for each side.

import { number } from "../words";
import type { Pen } from "./canvas";

export interface Scale {
  (value: number): number;
  readonly invert: (pixel: number) => number;
  readonly ticks: readonly number[];
}

export function linear(from: number, to: number, start: number, end: number, count = 5): Scale {
  const slope = (end - start) / (to - from || 1);
  const scale = (value: number) => start + (value - from) * slope;
  return Object.assign(scale, {
    invert: (pixel: number) => from + (pixel - start) / slope,
    ticks: roundTicks(from, to, count),
  });
}

export function logarithmic(from: number, to: number, start: number, end: number): Scale {
  const [low, high] = [Math.log10(from), Math.log10(to)];
  const inner = linear(low, high, start, end);
  const scale = (value: number) => inner(Math.log10(value));
  const step = Math.max(1, Math.ceil((high - low) / 7));
  const ticks: number[] = [];
  for (let power = Math.ceil(low - 1e-9); power <= high + 1e-9; power += step) ticks.push(10 ** power);
  return Object.assign(scale, { invert: (pixel: number) => 10 ** inner.invert(pixel), ticks });
}

export function roundTicks(from: number, to: number, count: number): number[] {
  const span = Math.abs(to - from) || 1;
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) ticks.push(k * step);
  return ticks;
}

export interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export const frameOf = (pen: Pen, left = 52, bottom = 36, top = 12, right = 12): Frame => ({
  left,
  top,
  right: pen.width - right,
  bottom: pen.height - bottom,
});

/** Grid, tick labels, and the names of both axes. */
export function axes(pen: Pen, frame: Frame, x: Scale, y: Scale, xName: string, yName: string): void {
  const { ctx, palette } = pen;
  ctx.strokeStyle = palette.rule;
  ctx.fillStyle = palette.quiet;
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  for (const tick of y.ticks) {
    const at = Math.round(y(tick)) + 0.5;
    line(ctx, frame.left, at, frame.right, at);
    ctx.fillText(short(tick), frame.left - 6, at);
  }
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  for (const tick of x.ticks) {
    const at = Math.round(x(tick)) + 0.5;
    line(ctx, at, frame.bottom, at, frame.bottom + 4);
    const half = ctx.measureText(short(tick)).width / 2;
    ctx.fillText(short(tick), Math.min(at, pen.width - half), frame.bottom + 6);
  }
  line(ctx, frame.left, frame.bottom + 0.5, frame.right, frame.bottom + 0.5);
  ctx.textBaseline = "bottom";
  ctx.textAlign = "right";
  ctx.fillText(xName, frame.right, pen.height - 1);
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  ctx.fillText(yName, 2, 0);
}

export function line(ctx: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
}

/** A line through points; NaN breaks it. */
export function path(ctx: CanvasRenderingContext2D, points: Iterable<readonly [number, number]>): void {
  ctx.beginPath();
  let drawing = false;
  for (const [x, y] of points) {
    if (Number.isNaN(y)) drawing = false;
    else if (drawing) ctx.lineTo(x, y);
    else {
      ctx.moveTo(x, y);
      drawing = true;
    }
  }
  ctx.stroke();
}

export function dot(pen: Pen, x: number, y: number, colour: string, radius = 4, outlined = true): void {
  const { ctx } = pen;
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.fillStyle = colour;
  ctx.fill();
  if (!outlined) return;
  ctx.lineWidth = 1.5;
  ctx.strokeStyle = pen.palette.panel;
  ctx.stroke();
  ctx.lineWidth = 1;
}

/** A tick's number without noise: 0.30000000000000004 is 0.3, 1000000 is 1M. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6 && size < 1e12)
    return size < 1e9 ? `${number(value / 1e6, 3)}M` : `${number(value / 1e9, 3)}G`;
  return number(Number(value.toPrecision(6)), 4);
}
