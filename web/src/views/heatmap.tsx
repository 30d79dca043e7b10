// The numbers themselves: a row for each position, a column for each dimension.

import { useComputed } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Live } from "../controls/live";
import { Table } from "../controls/table";
import { Canvas, type Pen } from "../draw/canvas";
import { cells, legend } from "../draw/cells";
import { cycleRamp, signedRamp } from "../draw/palette";
import { type Scene, together } from "../scene";
import type { Table as Numbers } from "../schemes/subject";
import { fixed, number, say, T } from "../words";
import type { View } from "./view";

const ROWS = 64; // positions on a page: the picture stands still while the position moves through it
const LEFT = 56;
const TOP = 22;
const tall = () => 340;

const page = (scene: Scene) => Math.floor(scene.at.value / ROWS) * ROWS;
const rowsFrom = (scene: Scene, start: number) => Math.min(ROWS, scene.length.value - start);

function HeatMap({ scene }: { scene: Scene }) {
  const table = scene.subject.value.table!;
  const start = useComputed(() => page(scene)); // so that a page is drawn once, and not at each position on it
  const base = useMemo(() => (pen: Pen) => numbers(pen, scene, table, start.value), [scene, table]);
  const over = useMemo(() => (pen: Pen) => mark(pen, scene, start.value), [scene]);
  const name = table.kind === "phase" ? T("angle of its hand", "对应指针的角度") : T("value", "数值");
  const label = say(
    T(
      `Heat map of ${name.en}: positions down, ${table.width} dimensions across.`,
      `${name.zh}的热力图：纵向是位置，横向是 ${table.width} 维。`,
    ),
  );
  return (
    <>
      <Canvas
        name="heatmap"
        height={tall}
        label={label}
        base={base}
        over={over}
        array={() => {
          const data = block(scene, table, start.value);
          return { values: { shape: [data.length / table.width, table.width], data } };
        }}
      />
      <p class="read">
        <Live text={() => row(scene, table)} />
      </p>
      <Table name="heatmap" caption={label} make={(by) => by.heatmap(scene)} />
    </>
  );
}

/** A number of the table as the reader meets it: angles in degrees. */
export const written = (table: Numbers, position: number, d: number, decimals: number): string => {
  const value = table.value(position, d);
  return table.kind === "phase" ? `${fixed((value * 180) / Math.PI, 1)}°` : fixed(value, decimals);
};

function row(scene: Scene, table: Numbers): string {
  const few = Array.from({ length: Math.min(4, table.width) }, (_, d) =>
    written(table, scene.at.value, d, 3),
  );
  const more = table.width > few.length ? " …" : "";
  const at = number(scene.at.value);
  return say(T(`Row ${at}: ${few.join(", ")}${more}`, `第 ${at} 行：${few.join("，")}${more}`));
}

function block(scene: Scene, table: Numbers, start: number): Float64Array {
  const values = new Float64Array(rowsFrom(scene, start) * table.width);
  for (let k = 0; k < values.length; k++)
    values[k] = table.value(start + Math.floor(k / table.width), k % table.width);
  return values;
}

function numbers(pen: Pen, scene: Scene, table: Numbers, start: number): void {
  const { ctx, palette, width, height } = pen;
  const values = block(scene, table, start);
  const rows = values.length / table.width;
  const ramp = table.kind === "phase" ? cycleRamp() : signedRamp(palette);
  const box = { x: LEFT, y: TOP, width: width - LEFT - 8, height: height - TOP - 30 };
  const limit = limitOf(scene, table);
  cells(pen, values, rows, table.width, ramp, -limit, limit, box);
  ctx.fillStyle = palette.quiet;
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  const high = box.height / rows;
  for (let i = 0; i < rows; i += 8) ctx.fillText(number(start + i, 9), LEFT - 6, TOP + (i + 0.5) * high);
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  for (let k = 0; k <= 4; k++) {
    const d = Math.round((k * (table.width - 1)) / 4);
    ctx.textAlign = k === 4 ? "right" : "center";
    ctx.fillText(String(d), LEFT + ((d + 0.5) / table.width) * box.width, TOP + box.height + 4);
  }
  ctx.textAlign = "left";
  ctx.fillText(say(T("position ↓  dimension →", "位置 ↓  维 →")), 2, 2);
  const [low, up] = table.kind === "phase" ? ["−180°", "180°"] : [number(-limit, 3), number(limit, 3)];
  const long = width < 340 ? 44 : 96; // beside the names of the axes
  legend(pen, ramp, low, up, width - long - (width < 340 ? 42 : 54), 4, long);
}

// One scale for both schemes, where two tables are of one kind.
function limitOf(scene: Scene, { kind, limit }: Numbers): number {
  const others = together(scene).map(({ subject }) => subject.value.table);
  return Math.max(limit, ...others.map((each) => (each?.kind === kind ? each.limit : 0)));
}

function mark(pen: Pen, scene: Scene, start: number): void {
  const high = (pen.height - TOP - 30) / rowsFrom(scene, start);
  const at = scene.at.value - start;
  pen.ctx.strokeStyle = pen.palette.ink;
  pen.ctx.lineWidth = 1.5;
  pen.ctx.strokeRect(LEFT - 1, TOP + at * high - 0.5, pen.width - LEFT - 6, Math.max(high, 3) + 1);
}

export const heatmap: View = {
  id: "heatmap",
  name: T("Heat map", "热力图"),
  lead: T(
    "What the model is given, number by number. For signed numbers, zero is the middle of the colours; for angles, the colours form a ring, since a full turn ends where it began.",
    "模型实际拿到的数。有正负的数以零为颜色中点；角度的颜色首尾相接，因为转满一圈就回到起点。",
  ),
  lacks: (subject) =>
    subject.table
      ? null
      : T(
          "No numbers belong to a position here: this scheme speaks of distances, or of nothing.",
          "这里没有属于某个位置的数：这个方案只管距离，或者什么都不管。",
        ),
  Body: HeatMap,
};
