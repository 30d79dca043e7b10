import { normals } from "../math/random";
import { T } from "../words";
import { NOTHING, type Subject } from "./subject";

const SPREAD = 0.02; // standard deviation before training, as BERT and GPT-2 begin

export function learned(given: { dim: number; rows: number; seed: number; model?: boolean }): Subject {
  const { dim, rows } = given;
  // A wide table with many rows would fill the memory: rows are made when they are looked at.
  const kept = new Map<number, Float64Array>();
  const row = (position: number) => {
    let found = kept.get(position);
    if (!found) {
      if (kept.size > 4096) kept.clear();
      found = normals(dim, given.seed * 1_000_003 + position).map((each) => each * SPREAD);
      kept.set(position, found);
    }
    return found;
  };
  return {
    ...NOTHING,
    title: T("Learned table", "可学习位置编码"),
    idea: T(
      "Each position owns a row of free numbers that training sets. Past the last row there is nothing at all.",
      "每个位置有一行自由的数，由训练决定。超过最后一行就什么也没有了。",
    ),
    caution: T(
      `Untrained: random numbers, seed ${given.seed}. Training would fill this table; only its shape is real.`,
      `未训练：随机数，随机种子 ${given.seed}。真正的数要靠训练；这里只有表的形状是真的。`,
    ),
    rows,
    table: {
      width: dim,
      kind: "signed",
      limit: 3 * SPREAD,
      value: (position, dimension) => (position < rows ? row(position)[dimension] : Number.NaN),
      dimension: (dimension) => T(`free number ${dimension}`, `自由的数 ${dimension}`),
    },
    meanRow: (start, size) => {
      const mean = new Float64Array(dim);
      for (let position = start; position < start + size; position++) {
        const own = row(position);
        let squares = 0;
        for (let d = 0; d < dim; d++) squares += own[d] * own[d];
        const share = 1 / (Math.sqrt(squares) * size);
        for (let d = 0; d < dim; d++) mean[d] += own[d] * share;
      }
      return mean;
    },
  };
}
