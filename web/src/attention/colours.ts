// Weights as colours: linear, logarithmic, or by rank in their row; one scale for all heads unless asked.

import type { Pen } from "../draw/canvas";
import { type Box, cells } from "../draw/cells";
import { sizeRamp } from "../draw/palette";
import { hatch } from "../views/map";
import { type Look, sinkOf } from "./look";
import { ranks, shown, type Window } from "./weights";

export const DECADES = 4; // that the logarithmic scale shows
const MS = 8; // of computing in a frame, before the page is given back

/** The weight that has the brightest colour. */
export function brightest(look: Look, head: number): number {
  const maps = look.maps.value;
  return (look.state.shared.value ? Math.max(...maps.map(({ most }) => most)) : maps[head].most) || 1;
}

/** A window of a head as it is pooled, NaN where nothing is seen, with the sums behind it. */
export function pooled(look: Look, head: number, window: Window, until = 0) {
  const found = shown(look.maps.value[head], window, until);
  const { count, sum, most } = found;
  const mean = look.state.pool.value === "mean";
  const values = most.map((value, n) => (count[n] ? (mean ? sum[n] / count[n] : value) : Number.NaN));
  return { ...found, values };
}

/** Draw a window of a head; what is not made yet is drawn as it is made. */
export function weigh(pen: Pen, look: Look, head: number, window: Window, box: Box, large = false) {
  look.made.value; // read, so that this is drawn again
  const until = pen.paper ? Number.POSITIVE_INFINITY : large ? performance.now() + MS : 0;
  const found = pooled(look, head, window, until);
  if (found.more) later(look);
  hatch(pen, box);
  const shade = look.state.shade.value;
  const most = brightest(look, head);
  const values =
    shade === "rank"
      ? ranks(found.values, window.width)
      : found.values.map((value) =>
          shade === "log" ? 1 + Math.log10(value / most) / DECADES : value / most,
        );
  cells(pen, values, window.height, window.width, sizeRamp(), 0, 1, box);
  const sink = Math.floor((sinkOf(look.one.value) - window.column) / window.size);
  if (look.state.sink.value === "dim" && sink >= 0) {
    const wide = box.width / window.width;
    pen.ctx.globalAlpha = 0.75;
    pen.ctx.fillStyle = pen.palette.panel;
    pen.ctx.fillRect(box.x + sink * wide, box.y, wide, box.height);
    pen.ctx.globalAlpha = 1;
  }
  return found;
}

let frames = 0;
let waiting = false;

// Work on what is missing, frame by frame, the large map first; what was made is drawn at every eighth.
function later(look: Look): void {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    const until = performance.now() + MS;
    const maps = look.maps.peek();
    const more = [maps[look.head.peek()], ...maps].some((map) => map.work(until));
    frames += 1;
    if (more && frames % 8) later(look);
    else look.made.value += 1;
  });
}
