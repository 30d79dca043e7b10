// Two maps of scores: positions seen through random projections, and attention that was trained.

import { cells, legend } from "../draw/cells";
import { signedRamp, sizeRamp } from "../draw/palette";
import { turnsPerToken } from "../math/exact";
import { sinusoidInvFreq } from "../math/frequencies";
import { normals } from "../math/random";
import { sinusoidRow } from "../math/sinusoid";
import { language, number } from "../words";
import { dot, type Picture } from "./picture";

const WIDTH = 64;
export const COUNT = 64;

/** Scores row by row. mode 0: hands alone; 1: through W_q and W_k; 2: with words added first. */
export function projected(mode: number): Float64Array {
  const speeds = turnsPerToken(sinusoidInvFreq(WIDTH, 10_000));
  const words = normals(COUNT * WIDTH, 3);
  const x = Array.from({ length: COUNT }, (_, p) =>
    sinusoidRow(p, speeds, WIDTH).map((v, d) => v + (mode === 2 ? words[p * WIDTH + d] : 0)),
  );
  const through = (seed: number) => {
    const w = normals(WIDTH * WIDTH, seed);
    return x.map((row) => {
      const out = new Float64Array(WIDTH);
      for (let i = 0; i < WIDTH; i++) for (let j = 0; j < WIDTH; j++) out[j] += row[i] * w[i * WIDTH + j];
      return out.map((v) => v / Math.sqrt(WIDTH));
    });
  };
  const [q, k] = mode ? [through(4), through(5)] : [x, x];
  return Float64Array.from({ length: COUNT * COUNT }, (_, c) => dot(q[Math.floor(c / COUNT)], k[c % COUNT]));
}

export const stripes: Picture = {
  height: (width) => Math.min(width, 400) + 24,
  draw: (pen, { state }) => {
    const values = projected(state.mode.value);
    const side = pen.height - 24;
    const limit = Math.max(...values.map(Math.abs));
    const ramp = signedRamp(pen.palette);
    cells(pen, values, COUNT, COUNT, ramp, -limit, limit, { x: 0, y: 24, width: side, height: side });
    legend(pen, ramp, number(-limit, 3), number(limit, 3), 48, 4, 90);
  },
};

/** The words of the language that the page is in, and their weights in thousandths, by mode. */
export function wordsOf(data: string, mode: number): { words: string[]; rows: number[][] } {
  const { maps, ...both } = JSON.parse(data) as Record<"en" | "zh", string[]> & { maps: number[][][] };
  return { words: both[language.value], rows: maps[mode] };
}

/** Which word looks at which. */
export const trained: Picture = {
  height: (width) => Math.min(width, 430),
  draw: (pen, { state }, data) => {
    const { ctx, palette } = pen;
    const { words, rows } = wordsOf(data, state.mode.value);
    const left = 72;
    const side = pen.height - left;
    const cell = side / words.length;
    const box = { x: left, y: left, width: side, height: side };
    cells(pen, Float64Array.from(rows.flat()), words.length, words.length, sizeRamp(), 0, 1000, box);
    ctx.fillStyle = palette.ink;
    ctx.textBaseline = "middle";
    words.forEach((word, i) => {
      ctx.textAlign = "right";
      ctx.fillText(word, left - 8, left + (i + 0.5) * cell);
      ctx.save();
      ctx.translate(left + (i + 0.5) * cell, left - 8);
      if (language.value === "zh") ctx.textAlign = "center";
      else {
        ctx.rotate(-Math.PI / 2); // longer than a column is wide
        ctx.textAlign = "left";
      }
      ctx.fillText(word, 0, 0);
      ctx.restore();
    });
    ctx.textAlign = "left";
    ctx.fillText("i ↓  j →", 2, 10);
  },
};
