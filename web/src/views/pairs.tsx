// Each pair of dimensions of a query and a key as a hand: how long, and where it points.

import { Live } from "../controls/live";
import { Table } from "../controls/table";
import { Canvas, type Pen } from "../draw/canvas";
import { LINES } from "../draw/palette";
import { axes, frameOf, line, linear } from "../draw/plot";
import { TURN } from "../math/exact";
import type { Scene } from "../scene";
import { amplitudes, handAt, type Pairs } from "../schemes/queries";
import { number, say, T } from "../words";
import { picked } from "./odometer";
import type { View } from "./view";

const NAME = T("Pairs of dimensions", "维度对");
const CELL = 84;
const [QUERY, KEY] = [LINES[1], LINES[0]];
const tall = () => 200;
const columns = (width: number) => Math.max(2, Math.floor(width / CELL));

/** What a pair adds to the score: the product of both lengths by the cosine between them. */
export function share(pairs: Pairs, hand: number, at: number, to: number): number {
  const [long, angle] = handAt(pairs.query, pairs, hand, at);
  const [other, away] = handAt(pairs.key, pairs, hand, to);
  return long * other * Math.cos(angle - away);
}

function PairsView({ scene }: { scene: Scene }) {
  const pairs = scene.subject.value.pairs!;
  const which = picked(pairs.count);
  const both = [amplitudes(pairs.query, pairs), amplitudes(pairs.key, pairs)];
  return (
    <>
      <Canvas
        name="amplitudes"
        height={tall}
        label={say(T("Mean length of each pair, of q and of k.", "每一对维度的平均长度，q 和 k 各一组。"))}
        base={(pen) => bars(pen, both)}
      />
      <Canvas
        name="pairs"
        height={(width) => Math.ceil(which.length / columns(width)) * (CELL + 16)}
        label={say(
          T(
            `${which.length} pairs as hands: q solid, k hollow.`,
            `${which.length} 对维度画成指针：q 为实心，k 为空心。`,
          ),
        )}
        over={(pen) => dials(pen, scene, pairs, which)}
      />
      <p class="read">
        <Live
          text={() => {
            const shares = Array.from({ length: pairs.count }, (_, hand) =>
              share(pairs, hand, scene.at.value, scene.to.value),
            );
            const most = shares.reduce(
              (best, each, k) => (Math.abs(each) > Math.abs(shares[best]) ? k : best),
              0,
            );
            const [sum, part] = [shares.reduce((a, b) => a + b, 0), shares[most]];
            return say(
              T(
                `q · k = ${number(sum)}; pair ${most} adds most, ${number(part)}.`,
                `q · k = ${number(sum)}；加得最多的是第 ${most} 对，${number(part)}。`,
              ),
            );
          }}
        />
      </p>
      <Table name="pairs" caption={say(NAME)} make={(by) => by.pairs(scene)} />
    </>
  );
}

function bars(pen: Pen, both: readonly Float64Array[]): void {
  const frame = frameOf(pen, 52, 36, 18);
  const count = both[0].length;
  const most = Math.max(...both.map((each) => each.reduce((a, b) => Math.max(a, b), 0))) || 1;
  const x = linear(0, count, frame.left, frame.right);
  const y = linear(0, most, frame.bottom, frame.top, 4);
  axes(pen, frame, x, y, say(T("pair of dimensions", "维度对")), say(T("mean length", "平均长度")));
  const wide = (frame.right - frame.left) / count;
  both.forEach((each, k) => {
    pen.ctx.fillStyle = [QUERY, KEY][k];
    each.forEach((value, hand) => {
      pen.ctx.fillRect(x(hand) + (k * wide) / 2, y(value), Math.max(wide / 2 - 0.5, 0.5), y(0) - y(value));
    });
    pen.ctx.textAlign = "right";
    pen.ctx.textBaseline = "top";
    pen.ctx.fillText("qk"[k], frame.right - 24 + 16 * k, 0);
  });
}

function dials(pen: Pen, scene: Scene, pairs: Pairs, which: readonly number[]): void {
  const { ctx, palette, width } = pen;
  const across = columns(width);
  const step = width / across;
  const hands = which.map((hand) => [
    handAt(pairs.query, pairs, hand, scene.at.value),
    handAt(pairs.key, pairs, hand, scene.to.value),
  ]);
  const longest = [0, 1].map((k) => hands.reduce((most, each) => Math.max(most, each[k][0]), 0) || 1);
  const r = Math.min(step, CELL) / 2 - 8;
  which.forEach((hand, n) => {
    const x = (n % across) * step + step / 2;
    const y = Math.floor(n / across) * (CELL + 16) + CELL / 2;
    ctx.strokeStyle = palette.rule;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.arc(x, y, r, 0, TURN);
    ctx.stroke();
    hands[n].forEach(([long, angle], k) => {
      const reach = (r * long) / longest[k];
      const [tip, top] = [x + reach * Math.sin(angle), y - reach * Math.cos(angle)];
      ctx.strokeStyle = ctx.fillStyle = [QUERY, KEY][k];
      ctx.lineWidth = 2;
      line(ctx, x, y, tip, top);
      ctx.beginPath();
      ctx.arc(tip, top, 3.5, 0, TURN);
      if (k) ctx.stroke();
      else ctx.fill();
    });
    ctx.fillStyle = palette.quiet;
    ctx.textAlign = "center";
    ctx.textBaseline = "top";
    ctx.fillText(String(hand), x, y + r + 2);
  });
}

export const pairs: View = {
  id: "pairs",
  name: NAME,
  lead: T(
    "Two dimensions of a vector are a hand: its length says how much the head uses the pair, its direction what it " +
      "asks for. Solid: q at the position. Hollow: k at the one compared with; each to the scale of its longest.",
    "向量的每两维是一根指针：长度说明这个头多看重这一对，方向是它要找的东西。实心是当前位置的 q，空心是与之比较的位置的 k；" +
      "各按最长的一根缩放。",
  ),
  lacks: (subject) =>
    subject.pairs ? null : T("Only queries and keys have pairs.", "只有查询和键才有维度对。"),
  rare: true,
  Body: PairsView,
};
