// The tables of the instrument's pictures.

import { TURN, turnAt } from "../math/exact";
import { angleError, distinctPositions, PRECISIONS } from "../math/precision";
import { neverSeen, turnsWithin, wavelength } from "../math/spectrum";
import type { Scene } from "../scene";
import { amplitudes, handAt } from "../schemes/queries";
import type { Hands } from "../schemes/subject";
import { written } from "../views/heatmap";
import { linesOf, spanOf, valueAt } from "../views/kernel";
import { picked } from "../views/odometer";
import { share } from "../views/pairs";
import { placesOf } from "../views/precision";
import { fixed, number, percent, say, T, type Text } from "../words";
import { NEARBY, type Rows } from "./rows";

const HAND = T("hand", "指针");
const LONG = T("wavelength (tokens)", "波长（词元）");
const TURNS = T("turns", "圈数");

const HEAD = T("head", "头");
const POSITION = T("position", "位置");

const numbered = (word: Text) => (k: number) => T(`${word.en} ${number(k, 9)}`, `${word.zh} ${number(k, 9)}`);
const handsOf = ({ subject }: Scene) => subject.value.hands!;
const turns = (hands: Hands, i: number, { at }: Scene) => fixed((hands.invFreq[i] * at.value) / TURN);
const degrees = (turn: number) => fixed(360 * turn, 1);

export function clock(scene: Scene): Rows {
  const hands = handsOf(scene);
  return {
    head: [
      HAND,
      LONG,
      TURNS,
      T("angle from twelve (°)", "从十二点起的角度 (°)"),
      T("sin", "sin"),
      T("cos", "cos"),
    ],
    count: hands.invFreq.length,
    row: (i) => {
      const turn = turnAt(hands.speeds, i, scene.at.value);
      return [
        String(i),
        number(wavelength(hands.invFreq[i])),
        turns(hands, i, scene),
        degrees(turn < 0 ? turn + 1 : turn),
        fixed(Math.sin(turn * TURN), 4),
        fixed(Math.cos(turn * TURN), 4),
      ];
    },
  };
}

export function odometer(scene: Scene): Rows {
  const hands = handsOf(scene);
  const which = picked(hands.invFreq.length);
  return {
    head: [HAND, LONG, TURNS],
    count: which.length,
    row: (k) => [
      String(which[k]),
      number(wavelength(hands.invFreq[which[k]])),
      turns(hands, which[k], scene),
    ],
  };
}

export function spectrum(scene: Scene): Rows {
  const { invFreq, plain } = handsOf(scene);
  const context = scene.state.context.value;
  return {
    head: [
      HAND,
      T("rad / token", "弧度 / 词元"),
      LONG,
      T("turns in the context", "上下文内的圈数"),
      T("slowed by", "放慢倍数"),
    ],
    count: invFreq.length,
    row: (i) => [
      String(i),
      number(invFreq[i], 6),
      number(wavelength(invFreq[i])),
      number(turnsWithin(invFreq[i], context)),
      number(invFreq[i] ? plain[i] / invFreq[i] : Number.POSITIVE_INFINITY),
    ],
  };
}

export function arcs(scene: Scene): Rows {
  const { invFreq, plain, trained } = handsOf(scene);
  const context = scene.state.context.value;
  return {
    head: [
      HAND,
      T("seen in training (of a turn)", "训练中见过（占一圈）"),
      T("new (of a turn)", "新增（占一圈）"),
    ],
    count: invFreq.length,
    row: (i) => [
      String(i),
      percent(Math.min(turnsWithin(plain[i], trained!), 1)),
      percent(neverSeen(invFreq[i], context, plain[i], trained!)),
    ],
  };
}

const AROUND = 9; // positions of the heat map that are columns: the one looked at, and those next to it

export function heatmap(scene: Scene): Rows {
  const table = scene.subject.value.table!;
  const last = Math.max(0, scene.length.value - AROUND);
  const first = Math.max(0, Math.min(scene.at.value - (AROUND >> 1), last));
  const columns = Array.from({ length: Math.min(AROUND, scene.length.value) }, (_, k) => first + k);
  return {
    head: [T("dimension", "维"), T("what it is", "是什么"), ...columns.map(numbered(POSITION))],
    count: table.width,
    row: (d) => [String(d), say(table.dimension(d)), ...columns.map((p) => written(table, p, d, 4))],
    part: NEARBY,
  };
}

export function kernel(scene: Scene, name: Text): Rows {
  const value = valueAt(scene.subject.value);
  const heads = linesOf(scene);
  return {
    head: [T("distance", "距离"), ...(heads.length > 1 ? heads.map(numbered(HEAD)) : [name])],
    count: spanOf(scene) + 1,
    row: (k) => [String(k), ...heads.map((head) => number(value(k, head), 6))],
  };
}

export function precision({ state, subject }: Scene): Rows {
  const { hands } = subject.value;
  const context = state.context.value;
  return {
    head: [
      T("precision", "精度"),
      T("distinct positions", "互不相同的位置"),
      T("first collision", "第一次重合"),
      T("worst angle error at the last position (rad)", "最后位置的最大角度误差（弧度）"),
    ],
    count: PRECISIONS.length,
    row: (k) => {
      const { distinct, firstClash } = distinctPositions(context, PRECISIONS[k]);
      return [
        PRECISIONS[k],
        number(distinct, 9),
        firstClash === null ? "–" : `${number(firstClash, 9)} / ${number(firstClash + 1, 9)}`,
        hands ? number(angleError(hands.invFreq, context - 1, PRECISIONS[k])) : "–",
      ];
    },
  };
}

/** The curves of the same view: the worst error of an angle (rad), a column a precision. */
export function errors(scene: Scene): Rows {
  const { invFreq } = handsOf(scene);
  const places = placesOf(scene.state.context.value);
  return {
    head: [POSITION, ...PRECISIONS.map((each) => T(`${each} (rad)`, `${each}（弧度）`))],
    count: places.length,
    row: (k) => [
      number(places[k], 9),
      ...PRECISIONS.map((each) => number(angleError(invFreq, places[k], each))),
    ],
  };
}

export function pairs(scene: Scene): Rows {
  const given = scene.subject.value.pairs!;
  const both = [amplitudes(given.query, given), amplitudes(given.key, given)];
  return {
    head: [
      T("pair", "维度对"),
      T("mean length of q", "q 的平均长度"),
      T("mean length of k", "k 的平均长度"),
      T("length of q", "q 的长度"),
      T("angle of q (°)", "q 的角度 (°)"),
      T("length of k", "k 的长度"),
      T("angle of k (°)", "k 的角度 (°)"),
      T("adds to q · k", "加到 q · k 的数"),
    ],
    count: given.count,
    row: (pair) => [
      String(pair),
      ...both.map((each) => number(each[pair])),
      ...[
        handAt(given.query, given, pair, scene.at.value),
        handAt(given.key, given, pair, scene.to.value),
      ].flatMap(([long, angle]) => [number(long), degrees(angle / TURN)]),
      number(share(given, pair, scene.at.value, scene.to.value)),
    ],
  };
}
