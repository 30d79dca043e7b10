// One sentence in two orders, through one attention layer: does a word's output tell them apart?

import { cells } from "../draw/cells";
import { signedRamp } from "../draw/palette";
import { turnsPerToken } from "../math/exact";
import { sinusoidInvFreq } from "../math/frequencies";
import { normals } from "../math/random";
import { sinusoidRow } from "../math/sinusoid";
import { say, T } from "../words";
import { dot, type Picture } from "./picture";

const WIDTH = 12;
export const WORDS = [T("Shi Jin", "史进"), T("strikes", "打"), T("Zheng Tu", "郑屠")];
export const ORDERS = [
  [0, 1, 2],
  [2, 1, 0],
];

/** What comes out for each word, by word. mode 1: causal mask; 2: hands added. */
export function outputs(order: readonly number[], mode: number): number[][] {
  const speeds = turnsPerToken(sinusoidInvFreq(WIDTH, 100));
  const drawn = normals(3 * WIDTH, 0);
  const x = order.map((word, place) => {
    const code = sinusoidRow(place, speeds, WIDTH);
    return [...drawn.slice(word * WIDTH, (word + 1) * WIDTH)].map((v, d) => v + (mode === 2 ? code[d] : 0));
  });
  const found: number[][] = [];
  order.forEach((word, i) => {
    const seen = mode === 1 ? x.slice(0, i + 1) : x;
    const odds = seen.map((key) => Math.exp(dot(x[i], key) / Math.sqrt(WIDTH)));
    const total = odds.reduce((sum, each) => sum + each);
    found[word] = x[i].map((_, d) => seen.reduce((sum, key, j) => sum + (odds[j] / total) * key[d], 0));
  });
  return found;
}

export const shuffle: Picture = {
  height: () => 156,
  draw: (pen, { state }) => {
    const { ctx, palette, width } = pen;
    const step = width / 3;
    ORDERS.forEach((order, row) => {
      const out = outputs(order, state.mode.value);
      order.forEach((word, place) => {
        const [x, y] = [place * step, row * 80];
        ctx.fillStyle = palette.ink;
        ctx.textBaseline = "top";
        ctx.fillText(say(WORDS[word]), x, y + 6);
        const box = { x, y: y + 28, width: step - 14, height: 34 };
        cells(pen, Float64Array.from(out[word]), 1, WIDTH, signedRamp(palette), -2, 2, box);
        ctx.strokeStyle = palette.rule;
        ctx.strokeRect(box.x + 0.5, box.y - 0.5, box.width, box.height + 1);
      });
    });
  },
};
