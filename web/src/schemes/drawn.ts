// A scheme that the page was made for and has no formula of: its bias or table comes as numbers.

import type { Drawn } from "../state/model";
import { T } from "../words";
import { NOTHING, type Subject } from "./subject";

type Words = Pick<Subject, "title" | "idea" | "caution">;

export const saidOf = ({ title, idea, caution }: Drawn): Words => ({ title, idea, caution: caution ?? null });

/** With the numbers that are there; without any, `otherwise`: hands, or that nothing can be drawn. */
export function drawnSubject({ bias, table }: Drawn, otherwise: Subject): Subject {
  if (bias) return { ...NOTHING, ...otherwise, rows: bias.distances, bias: biasOf(bias) };
  if (table) return { ...otherwise, ...tableOf(table) };
  return otherwise;
}

function biasOf({ heads, distances, both, values }: NonNullable<Drawn["bias"]>): Subject["bias"] {
  const numbers = unpacked(values);
  const first = both ? 1 - distances : 0;
  const across = distances - first;
  return {
    heads,
    shared: false,
    name: T("bias", "偏置"),
    unit: T("logits", "得分"),
    range: (head, length) => {
      const nearest = both ? 1 - length : 0;
      const shown = numbers.subarray(head * across + nearest - first, head * across + length - first);
      return extent(shown);
    },
    curve: (head) => ({
      at: (distance) => numbers[head * across + distance - first] ?? Number.NaN,
      causal: !both,
    }),
  };
}

function tableOf({ rows, width, values }: NonNullable<Drawn["table"]>): Partial<Subject> {
  const numbers = unpacked(values);
  const [least, most] = extent(numbers);
  return {
    rows,
    table: {
      width,
      kind: "signed",
      limit: Math.max(Math.abs(least), Math.abs(most)) || 1,
      value: (position, dimension) => (position < rows ? numbers[position * width + dimension] : Number.NaN),
      dimension: (dimension) => T(`dimension ${dimension}`, `维度 ${dimension}`),
    },
    meanRow: (start, size) => {
      const mean = new Float64Array(width);
      for (let position = start; position < start + size; position++) {
        const row = numbers.subarray(position * width, (position + 1) * width);
        const length = Math.hypot(...row) * size;
        if (length) for (let d = 0; d < width; d++) mean[d] += row[d] / length;
      }
      return mean;
    },
  };
}

function unpacked(text: string): Float32Array {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

function extent(numbers: Float32Array): [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const each of numbers) {
    if (each < least) least = each;
    if (each > most) most = each;
  }
  return least <= most ? [least, most] : [0, 0];
}
