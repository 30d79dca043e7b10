// One row of the map as arcs over the sentence: where the query looks, drawn where the words stand.

import { useMemo } from "preact/hooks";
import { Table } from "../controls/table";
import { Canvas, type Pen } from "../draw/canvas";
import { line, path } from "../draw/plot";
import type { Rows } from "../tables/rows";
import { number, say, T } from "../words";
import { cut, downwards, type Look, UPRIGHT, weightAt } from "./look";

const tall = () => 220;
const BELOW = 92;
const MOST = 48; // arcs
const FAINT = 0.02; // of the largest weight: less is not drawn
const LINE = 13; // pixels that a word needs

const NAME = T("The query's row as arcs over the sentence", "这个查询的一行，画成句子上的弧线");

export function Arcs({ look }: { look: Look }) {
  const over = useMemo(() => (pen: Pen) => arcs(pen, look), [look]);
  return (
    <>
      <h3>{say(NAME)}</h3>
      <Canvas name="attention-row" height={tall} label={say(NAME)} over={over} />
      <Table name="attention-row" caption={say(NAME)} make={() => rowOf(look)} />
    </>
  );
}

/** Each key that is seen and not hidden, and its weight, the largest first. */
function weightsOf(look: Look): (readonly [number, number])[] {
  const map = look.maps.value[look.head.value];
  return look.one.value.tokens
    .map((_, j) => [j, weightAt(look, look.query.value, j)] as const)
    .filter(([j, weight]) => weight >= 0 && map.part(j, true) < 2)
    .sort((a, b) => b[1] - a[1]);
}

function rowOf(look: Look): Rows {
  const one = look.one.value;
  const i = look.query.value;
  const found = weightsOf(look);
  return {
    head: [
      T("key", "键"),
      T("token", "词元"),
      T("position", "位置"),
      T("id", "编号"),
      T(`weight of query ${i}`, `查询 ${i} 的权重`),
    ],
    count: found.length,
    row: (k) => {
      const [j, weight] = found[k];
      return [
        number(j, 9),
        cut(one.tokens[j], 40),
        number(one.positions[j], 9),
        one.ids.length ? String(one.ids[j]) : "–",
        number(weight, 4),
      ];
    },
  };
}

function arcs(pen: Pen, look: Look): void {
  const { ctx, palette, width } = pen;
  const { tokens } = look.one.value;
  const i = look.query.value;
  const step = (width - 16) / tokens.length;
  const x = (token: number) => 8 + (token + 0.5) * step;
  const floor = pen.height - BELOW;
  const weights = weightsOf(look);
  const most = weights[0]?.[1] || 1;
  const shown = weights.slice(0, MOST).filter(([, weight]) => weight > FAINT * most);
  ctx.strokeStyle = palette.rule;
  line(ctx, 8, floor, width - 8, floor);
  ctx.strokeStyle = palette.accent;
  for (const [j, weight] of shown) {
    const [from, to] = [x(i), x(j)];
    const high = Math.min(floor - 6, 14 + Math.abs(to - from) / 2);
    ctx.lineWidth = 0.6 + (5 * weight) / most;
    ctx.globalAlpha = 0.25 + (0.7 * weight) / most;
    const own = j === i ? 7 : 0; // an arc to itself is a loop
    path(
      ctx,
      Array.from({ length: 25 }, (_, n): [number, number] => {
        const angle = (Math.PI * n) / 24;
        return [(from + to) / 2 - ((to - from) / 2 + own) * Math.cos(angle), floor - high * Math.sin(angle)];
      }),
    );
  }
  ctx.globalAlpha = 1;
  const told = new Set([i, ...shown.map(([j]) => j)]);
  const taken: number[] = [];
  for (const token of step >= LINE ? tokens.keys() : told) {
    if (taken.some((other) => Math.abs(other - x(token)) < LINE - 1)) continue;
    taken.push(x(token));
    ctx.fillStyle = token === i ? palette.accent : told.has(token) ? palette.ink : palette.quiet;
    downwards(pen, cut(tokens[token], UPRIGHT.test(tokens[token]) ? 6 : 12), x(token), floor + 6);
  }
}
