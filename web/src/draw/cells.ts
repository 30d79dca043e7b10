// A grid of numbers as coloured cells, drawn as one image.

import type { Pen } from "./canvas";
import type { Ramp } from "./palette";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** `values`, row by row, from `low` to `high` along the ramp; NaN is left empty. */
export function cells(
  pen: Pen,
  values: Float64Array,
  rows: number,
  columns: number,
  ramp: Ramp,
  low: number,
  high: number,
  box: Box,
): void {
  if (rows === 0 || columns === 0) return;
  const image = new ImageData(columns, rows);
  const data = image.data;
  const scale = 255 / (high - low || 1);
  for (let k = 0; k < values.length; k++) {
    const value = values[k];
    if (Number.isNaN(value)) continue;
    const colour = 3 * Math.min(255, Math.max(0, Math.round((value - low) * scale)));
    data[4 * k] = ramp[colour];
    data[4 * k + 1] = ramp[colour + 1];
    data[4 * k + 2] = ramp[colour + 2];
    data[4 * k + 3] = 255;
  }
  const sheet = document.createElement("canvas");
  sheet.width = columns;
  sheet.height = rows;
  sheet.getContext("2d")?.putImageData(image, 0, 0);
  pen.ctx.imageSmoothingEnabled = false;
  pen.ctx.drawImage(sheet, box.x, box.y, box.width, box.height);
}

/** The ramp beside a picture, with its ends named. */
export function legend(
  pen: Pen,
  ramp: Ramp,
  low: string,
  high: string,
  x: number,
  y: number,
  width: number,
): void {
  const { ctx, palette } = pen;
  const values = Float64Array.from({ length: 128 }, (_, k) => k / 127);
  cells(pen, values, 1, 128, ramp, 0, 1, { x, y, width, height: 8 });
  ctx.strokeStyle = palette.rule;
  ctx.strokeRect(x + 0.5, y + 0.5, width - 1, 7);
  ctx.fillStyle = palette.quiet;
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  ctx.fillText(low, x - 5, y + 4);
  ctx.textAlign = "left";
  ctx.fillText(high, x + width + 5, y + 4);
}
