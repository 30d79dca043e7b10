// The clock as a film: an SVG that turns by itself, or the frames of an APNG.

import type { Pen } from "../draw/canvas";
import type { Film, Hand } from "../views/clock-motion";
import { apng } from "./apng";
import { png, vector } from "./files";
import type { Shot } from "./save";

const FRAMES = 12.5; // a second
const MOST = 400; // frames

/** Each hand turns at its own constant speed, so it needs no frames. */
export function turningSvg(
  shot: Shot,
  hands: readonly Hand[],
  from: number,
  { positions, seconds }: Film,
): Blob {
  const many = hands.length > 24;
  const thick = many ? 1 : 1.6;
  const faint = many ? Math.max(0.15, 24 / hands.length) : 1;
  const drawn = (moves: boolean) =>
    hands
      .map(({ x, y, length, colour, speed }) => {
        const at = (position: number) => `${(speed * position).toFixed(4)} ${x} ${y}`;
        const line = `<line x1="${x}" y1="${y}" x2="${x}" y2="${y - length}" stroke-width="${thick}" stroke-opacity="${faint}"/>`;
        const tip = `<circle cx="${x}" cy="${y - length}" r="${many ? 2 : 4.5}" stroke="none"/>`;
        const turn = `<animateTransform attributeName="transform" type="rotate" from="${at(from)}" to="${at(from + positions)}" dur="${seconds}s" repeatCount="indefinite"/>`;
        return `<g stroke="${colour}" fill="${colour}" transform="rotate(${at(from)})">${line}${tip}${moves ? turn : ""}</g>`;
      })
      .join("");
  // Who wants calm sees the hands stand still.
  const calm = "@media(prefers-reduced-motion:reduce){.m{display:none}.s{display:inline}}";
  const groups = `<g class="m">${drawn(true)}</g><g class="s">${drawn(false)}</g>`;
  return vector(shot, `<style>.s{display:none}${calm}</style>${groups}`);
}

export async function turningPng(
  shot: Shot,
  draw: (pen: Pen, position: number) => void,
  from: number,
  { positions, seconds }: Film,
): Promise<Blob> {
  const count = Math.max(2, Math.min(Math.round(seconds * FRAMES), MOST));
  const frames: Uint8Array[] = [];
  for (let frame = 0; frame < count; frame++) {
    const at = from + (positions * frame) / count;
    frames.push(png({ ...shot, draw: (pen) => draw(pen, at) }, 1));
    await new Promise((done) => setTimeout(done)); // the page stays alive meanwhile
  }
  return apng(frames, Math.round(seconds * 1000));
}
