// Codes that one would try first: integers, fractions, binary digits; and hands.

import { cells } from "../draw/cells";
import { signedRamp } from "../draw/palette";
import { axes, frameOf, linear, path } from "../draw/plot";
import { turnsPerToken } from "../math/exact";
import { sinusoidInvFreq } from "../math/frequencies";
import { sinusoidRow } from "../math/sinusoid";
import type { Scene } from "../scene";
import { number, say, T } from "../words";
import type { Picture, Values } from "./picture";

const WIDTH = 16;

/** The code of every position in a text of n, by mode in the order above. */
export function codes(mode: number, n: number): number[][] {
  const speeds = turnsPerToken(sinusoidInvFreq(WIDTH, 10_000));
  const bits = Math.ceil(Math.log2(n));
  const row = [
    (p: number) => [p],
    (p: number) => [p / (n - 1)],
    (p: number) => Array.from({ length: bits }, (_, b) => Math.floor(p / 2 ** b) % 2),
    (p: number) => [...sinusoidRow(p, speeds, WIDTH)],
  ][mode];
  return Array.from({ length: n }, (_, p) => row(p));
}

const own = ({ state }: Scene) => codes(state.mode.value, state.context.value);
/** How far each position is from the next. */
export const stepsOf = (rows: number[][]) =>
  rows.slice(1).map((row, p) => Math.hypot(...row.map((v, k) => v - rows[p][k])));

export const codeValues: Values = {
  third: (scene) =>
    own(scene)[3]
      .slice(0, 6)
      .map((v) => number(v, 3))
      .join(" "),
  jump: (scene) => {
    const steps = stepsOf(own(scene));
    const most = Math.max(...steps);
    const at = steps.findIndex((each) => each > most - 1e-9);
    return `${number(most, 4)} (${at} → ${at + 1})`;
  },
};

export const codePicture: Picture = {
  height: () => 300,
  draw: (pen, scene) => {
    const { palette, ctx } = pen;
    const rows = own(scene);
    const [n, width] = [rows.length, rows[0].length];
    const frame = frameOf(pen, 52, 36, 150);
    const limit = Math.max(1, ...rows.flat());
    const values = Float64Array.from({ length: n * width }, (_, k) => rows[k % n][Math.floor(k / n)]);
    const box = { x: frame.left, y: 8, width: frame.right - frame.left, height: 110 };
    cells(pen, values, width, n, signedRamp(palette), -limit, limit, box);
    const steps = stepsOf(rows);
    const x = linear(0, n, frame.left, frame.right);
    const y = linear(0, Math.max(...steps) * 1.1, frame.bottom, frame.top);
    axes(pen, frame, x, y, say(T("position", "位置")), "");
    ctx.textBaseline = "bottom";
    ctx.fillText(say(T("step to the next", "到下一位置的一步")), frame.left, frame.top - 8);
    ctx.strokeStyle = palette.accent;
    ctx.lineWidth = 1.5;
    path(
      ctx,
      steps.map((each, p): [number, number] => [x(p + 1), y(each)]),
    );
  },
};
