// The tables of the lesson's own pictures.

import { codes, stepsOf } from "../lesson/codes";
import { dialsOf, moved, turned } from "../lesson/dials";
import { COUNT, projected, wordsOf } from "../lesson/maps";
import { ORDERS, outputs, WORDS } from "../lesson/shuffle";
import type { PICTURES } from "../lesson/values";
import { TURN } from "../math/exact";
import type { Scene } from "../scene";
import { fixed, number, T, type Text } from "../words";
import { type Rows, square } from "./rows";

type Made = (scene: Scene, data: string) => Rows;

const HAND = T("hand", "指针");
const degrees = (angle: number) => fixed((360 * angle) / TURN, 1);
const places = (count: number) => Array.from({ length: count }, (_, k) => number(k));

export const LESSON: Record<keyof typeof PICTURES, Made> = {
  shuffle: ({ state }) => {
    const columns = ORDERS.flatMap((order, row) => {
      const found = outputs(order, state.mode.value);
      const name = ({ en, zh }: Text) => T(`row ${row + 1}: ${en}`, `第 ${row + 1} 行：${zh}`);
      return order.map((word) => ({ name: name(WORDS[word]), values: found[word] }));
    });
    return {
      head: [T("dimension", "维"), ...columns.map(({ name }) => name)],
      count: columns[0].values.length,
      row: (d) => [String(d), ...columns.map(({ values }) => fixed(values[d], 4))],
    };
  },
  codes: ({ state }) => {
    const rows = codes(state.mode.value, state.context.value);
    const steps = stepsOf(rows);
    const code = (k: number) => T(`code [${k}]`, `编码 [${k}]`);
    return {
      head: [
        T("position", "位置"),
        T("step to the next", "到下一位置的一步"),
        ...Array.from(rows[0], (_, k) => code(k)),
      ],
      count: rows.length,
      row: (p) => [
        number(p, 9),
        p < steps.length ? number(steps[p], 4) : "–",
        ...rows[p].map((value) => number(value, 4)),
      ],
    };
  },
  move: (scene) => {
    const { pos, shift } = scene.state;
    return {
      head: [
        HAND,
        T(`at ${pos.value} (°)`, `在 ${pos.value} 处 (°)`),
        T(`at ${pos.value + shift.value} (°)`, `在 ${pos.value + shift.value} 处 (°)`),
        T("turned by (°)", "转过 (°)"),
      ],
      count: dialsOf(scene),
      row: (i) => [String(i), ...moved(scene, i).map(degrees)],
    };
  },
  turning: (scene) => {
    const { pos, other } = scene.state;
    const both = turned(scene);
    const name = (vector: string, at: number) => [
      T(`${vector} at ${at}, across`, `${at} 处的 ${vector}，横`),
      T(`${vector} at ${at}, up`, `${at} 处的 ${vector}，纵`),
    ];
    return {
      head: [HAND, ...name("q", pos.value), ...name("k", other.value)],
      count: dialsOf(scene),
      row: (i) => [String(i), ...both.flatMap((tips) => tips[i].map((value) => fixed(value, 4)))],
    };
  },
  stripes: ({ state }) => {
    const values = projected(state.mode.value);
    return square(places(COUNT), COUNT, (i) => [
      number(i),
      ...Array.from(values.subarray(COUNT * i, COUNT * (i + 1)), (value) => number(value, 4)),
    ]);
  },
  trained: ({ state }, data) => {
    const { words, rows } = wordsOf(data, state.mode.value);
    return square(words, words.length, (i) => [words[i], ...rows[i].map((each) => fixed(each / 1000, 3))]);
  },
};
