// Queries and keys of a dropped file: the map of their scores, and each pair of dimensions as a hand.

import type { Queries, Vectors } from "../files/queries";
import { dimensionsOfHand, type Layout } from "../math/rotation";
import { T } from "../words";
import { NOTHING, type Subject } from "./subject";

/** One head's vectors: of position p from `p * d` on. */
export interface Head {
  readonly values: ArrayLike<number>;
  readonly start: number;
}

export const headOf = ({ values, t }: Vectors, head: number, d: number): Head => ({
  values,
  start: head * t * d,
});

export function queries(given: Queries, wanted: number, layout: Layout): Subject {
  const { d, q, k, name } = given;
  const head = Math.min(wanted, q.heads - 1);
  const query = headOf(q, head, d);
  const key = k && headOf(k, Math.floor((head * k.heads) / q.heads), d);
  const rows = Math.min(q.t, k?.t ?? q.t);
  let limit = 0;
  for (let n = 0; n < rows * d; n++) limit = Math.max(limit, Math.abs(query.values[query.start + n]));
  return {
    ...NOTHING,
    title: T(name, name),
    idea: k
      ? T(
          "Scores q · k / √d of one head, as the file has them: every pair of tokens in the map, every pair of " +
            "dimensions as a hand. Nothing is masked and no softmax taken.",
          "一个注意力头的得分 q · k / √d，完全按文件里的数：图中是每一对词元，指针是每一对维度。没有掩码，也没有做 softmax。",
        )
      : T(
          "Vectors of a file: how alike any two are, and every pair of dimensions as a hand.",
          "文件里的向量：任意两个有多像，每一对维度是一根指针。",
        ),
    rows,
    table: {
      width: d,
      kind: "signed",
      limit: limit || 1,
      value: (position, dimension) =>
        position < rows ? query.values[query.start + position * d + dimension] : Number.NaN,
      dimension: (dimension) => T(`q, dimension ${dimension}`, `q 的第 ${dimension} 维`),
    },
    meanRow: mean(query, d, key ? d ** -0.25 : null),
    ...(key ? { meanColumn: mean(key, d, d ** -0.25), mapName: T("score", "得分") } : {}),
    pairs: { query, key: key ?? query, width: d, layout, rows, count: Math.floor(d / 2) },
  };
}

/** The mean of a block of rows times `scale`, or of unit rows where that is null. */
function mean({ values, start }: Head, d: number, scale: number | null) {
  return (first: number, size: number) => {
    const found = new Float64Array(d);
    for (let row = first; row < first + size; row++) {
      const at = start + row * d;
      let share = scale ?? 0;
      if (scale === null) {
        let squares = 0;
        for (let n = 0; n < d; n++) squares += values[at + n] ** 2;
        share = squares ? 1 / Math.sqrt(squares) : 0;
      }
      for (let n = 0; n < d; n++) found[n] += (values[at + n] * share) / size;
    }
    return found;
  };
}

export interface Pairs {
  readonly query: Head;
  readonly key: Head;
  readonly width: number;
  readonly layout: Layout;
  readonly rows: number;
  readonly count: number;
}

/** Length and angle, clockwise from twelve, of the hand that a pair of dimensions is. */
export function handAt(
  { values, start }: Head,
  pairs: Pairs,
  hand: number,
  position: number,
): [number, number] {
  const [u, v] = dimensionsOfHand(hand, pairs.count, pairs.layout);
  const [up, across] = [
    values[start + position * pairs.width + u],
    values[start + position * pairs.width + v],
  ];
  return [Math.hypot(up, across), Math.atan2(across, up)];
}

/** Mean length of each hand over all positions. */
export function amplitudes(head: Head, pairs: Pairs): Float64Array {
  return Float64Array.from({ length: pairs.count }, (_, hand) => {
    let sum = 0;
    for (let position = 0; position < pairs.rows; position++) sum += handAt(head, pairs, hand, position)[0];
    return sum / pairs.rows;
  });
}
