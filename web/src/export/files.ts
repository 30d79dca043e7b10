// Pictures as files: drawn again, for an image or for an SVG.

import { FONT } from "../draw/canvas";
import { palette } from "../draw/palette";
import type { Shot } from "./save";
import { Recorder, svg } from "./svg";
import { latin } from "./zip";

export function drawn({ width, height, draw }: Shot, ctx: CanvasRenderingContext2D): void {
  ctx.font = FONT;
  draw({ ctx, width, height, palette: palette.value, paper: true });
}

/** A whole PNG. At once: browsers put off `toBlob` until nothing else is to be done. */
export function png(shot: Shot, scale: number): Uint8Array<ArrayBuffer> {
  const canvas = document.createElement("canvas");
  canvas.width = shot.width * scale;
  canvas.height = shot.height * scale;
  const ctx = canvas.getContext("2d")!;
  ctx.scale(scale, scale);
  ctx.fillStyle = palette.value.panel;
  ctx.fillRect(0, 0, shot.width, shot.height);
  drawn(shot, ctx);
  return latin(atob(canvas.toDataURL().split(",")[1]));
}

export function recorded(shot: Shot): string {
  const recorder = new Recorder();
  drawn(shot, recorder as unknown as CanvasRenderingContext2D);
  return recorder.parts.join("");
}

export const vector = (shot: Shot, more = ""): Blob =>
  svg(recorded(shot) + more, shot.width, shot.height, palette.value.panel);
