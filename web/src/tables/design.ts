// The table of the ladder that is bent: its control points, those of the ladder behind it, and each hand.

import type { Point } from "../math/ladder";
import { wavelength } from "../math/spectrum";
import { number, say, T, type Text } from "../words";
import type { Rows } from "./rows";

/** Points stand at a share of the hands, and at the logarithm of a speed. */
export function ladder(points: readonly Point[], others: readonly Point[], invFreq: ArrayLike<number>): Rows {
  const count = invFreq.length;
  const lines = (all: readonly Point[], name: (k: number) => Text) =>
    all.map(({ x, y }, k): [Text, number, number] => [name(k + 1), x * count, 10 ** y]);
  const all = [
    ...lines(points, (k) => T(`point ${k}`, `控制点 ${k}`)),
    ...lines(others, (k) => T(`point ${k} of the thin line`, `细线的控制点 ${k}`)),
    ...Array.from(invFreq, (speed, i): [Text, number, number] => [T(`hand ${i}`, `指针 ${i}`), i, speed]),
  ];
  return {
    head: [
      T("what it is", "是什么"),
      T("hand", "指针"),
      T("rad / token", "弧度 / 词元"),
      T("wavelength (tokens)", "波长（词元）"),
    ],
    count: all.length,
    row: (k) => {
      const [name, at, speed] = all[k];
      return [say(name), number(at, 4), number(speed, 6), number(wavelength(speed))];
    },
  };
}
