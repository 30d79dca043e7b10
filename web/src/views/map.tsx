// Every pair of positions at once, at any size: cells are exact means of the positions that they hold.

import { batch, computed, useComputed } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Live } from "../controls/live";
import { Table } from "../controls/table";
import { Canvas, type Pen } from "../draw/canvas";
import { type Box, cells, legend } from "../draw/cells";
import { palette, type Ramp, signedRamp, sizeRamp } from "../draw/palette";
import { cellsFrom, type Window } from "../math/blocks";
import { type Scene, together } from "../scene";
import { mapOf, type Subject } from "../schemes/subject";
import { number, say, T, type Text } from "../words";
import { HeadChoice } from "./kernel";
import type { View } from "./view";

const MOST = 256; // cells on a side
const LEAST = 8; // positions on a side, zoomed in all the way
const [LEFT, TOP] = [64, 22];
const square = (width: number) => Math.min(width - LEFT - 4, 440) + TOP + 26;

const IN = T("Zoom in", "放大");
const OUT = T("Zoom out", "缩小");
const ALL = T("Whole map", "整张图");
const DIAGONAL = T("Go to the position", "移到当前位置");
const HELP = T(
  "Click a cell, or use the arrow keys: up and down move the position, left and right the one compared with; " +
    "plus and minus zoom, 0 shows all.",
  "点击格子，或用方向键：上下移动位置，左右移动与之比较的位置；加号放大，减号缩小，0 显示全部。",
);

function windowOf(scene: Scene): Window {
  const n = scene.length.value;
  const { reach, row, column } = scene.state;
  const side = Math.min(reach.value || n, n, mostOf(scene.subject.value));
  const size = Math.ceil(side / MOST);
  const [top, left] = [row, column].map((start) =>
    Math.max(0, Math.min(reach.value ? start.value : 0, n - side)),
  );
  const most = Math.ceil(side / size);
  return {
    n,
    size,
    row: top,
    column: left,
    height: cellsFrom(top, n, size, most),
    width: cellsFrom(left, n, size, most),
  };
}

// Rows of a table are made one by one: of a wide and long one, a part is shown at a time.
function mostOf({ meanRow, table }: Subject): number {
  return meanRow && table ? Math.max(LEAST, Math.floor(4e6 / table.width)) : Number.POSITIVE_INFINITY;
}

/** Show `side` positions around the position and the one it is compared with. */
function zoom(scene: Scene, side: number): void {
  const n = scene.length.value;
  const { state } = scene;
  batch(() => {
    state.reach.value = side >= n ? 0 : Math.max(Math.round(side), Math.min(LEAST, n));
    const half = Math.floor(state.reach.value / 2);
    const start = (middle: number) => Math.max(0, Math.min(middle - half, n - state.reach.value));
    state.row.value = state.reach.value ? start(scene.at.value) : 0;
    state.column.value = state.reach.value ? start(scene.to.value) : 0;
  });
}

type Values = (window: Window) => Float64Array;

/** Colours from `low` to `high`, one for both schemes where both are measured alike. */
interface Colours {
  readonly ramp: Ramp;
  readonly low: number;
  readonly high: number;
}

function PairMap({ scene }: { scene: Scene }) {
  const subject = scene.subject.value;
  const head = headIn(scene);
  const values = useMemo(() => mapOf(subject, head)!, [subject, head]);
  const heads = subject.bias && !subject.bias.shared ? subject.bias.heads : 1;
  const colours = (drawn: Float64Array) => coloursOf(scene, drawn);
  return <Grid scene={scene} values={values} name={nameOf(subject)} heads={heads} colours={colours} />;
}

const headIn = ({ subject, state }: Scene) => {
  const { bias } = subject.value;
  return bias && !bias.shared ? Math.min(state.head.value, bias.heads - 1) : 0;
};

export const nameOf = ({ bias, mapName }: Subject) =>
  bias ? bias.name : (mapName ?? T("cosine similarity", "余弦相似度"));

const largest = (values: Float64Array) =>
  values.reduce((most, each) => Math.max(most, Math.abs(each) || 0), 0);

function coloursOf(scene: Scene, drawn: Float64Array): Colours {
  const subject = scene.subject.value;
  const n = scene.length.value;
  if (subject.meanColumn) return signed(largest(drawn) || 1);
  const alike = together(scene).filter((each) => nameOf(each.subject.value).en === nameOf(subject).en);
  const ranges = alike.map((each) => each.subject.value.bias?.range(headIn(each), n) ?? [-1, 1]);
  const limit = Math.max(...ranges.map(([least, most]) => Math.max(-least, most)));
  return subject.bias?.shared ? { ramp: sizeRamp(), low: 0, high: limit } : signed(limit);
}

const signed = (limit: number): Colours => ({ ramp: signedRamp(palette.value), low: -limit, high: limit });

/** One scheme's map less the other's, where both are measured alike. */
export function Difference({ scene, other }: { scene: Scene; other: Scene }) {
  const [one, two] = [scene, other].map((each) => ({ subject: each.subject.value, head: headIn(each) }));
  const values = useMemo((): Values | null => {
    const [first, second] = [one, two].map(({ subject, head }) => mapOf(subject, head));
    if (!first || !second || nameOf(one.subject).en !== nameOf(two.subject).en) return null;
    return (window) => {
      const less = second(window);
      return first(window).map((value, k) => value - less[k]);
    };
  }, [one.subject, two.subject, one.head, two.head]);
  if (!values) return <p class="note">{say(UNLIKE)}</p>;
  const name = nameOf(one.subject);
  const difference = T(`difference of ${name.en}`, `${name.zh}之差`);
  const colours = (drawn: Float64Array) => signed(largest(drawn) || 1);
  return <Grid scene={scene} values={values} name={difference} heads={1} colours={colours} id="difference" />;
}

const UNLIKE = T(
  "One of the two has no map, or they measure different things: there is no difference to draw.",
  "两者之中有一个没有图，或者图中的量不同，无法相减。",
);

interface GridProps {
  readonly scene: Scene;
  readonly values: Values;
  readonly name: Text;
  readonly heads: number;
  readonly colours: (drawn: Float64Array) => Colours;
  readonly id?: string;
}

function Grid({ scene, values, name, heads, colours, id = "map" }: GridProps) {
  const { state } = scene;
  const window = useComputed(() => windowOf(scene));
  const drawn = useMemo(() => computed(() => values(window.value)), [values]);
  const side = state.reach.value || scene.length.value;
  const help = `${id}-help${scene.side}`;
  const label = say(T(`${name.en} of every pair of positions.`, `每一对位置的${name.zh}。`));
  // A closure is made new with what it draws, so that the picture follows the scheme and the head.
  const base = useMemo(
    () => (pen: Pen) => grid(pen, drawn.value, window.value, colours(drawn.value)),
    [drawn, scene],
  );
  const over = useMemo(() => (pen: Pen) => cross(pen, window.value, scene), [scene]);
  return (
    <>
      <div class="tools">
        <button type="button" onClick={() => zoom(scene, side / 2)} data-control="zoom-in">
          {say(IN)}
        </button>
        <button type="button" onClick={() => zoom(scene, side * 2)} aria-disabled={!state.reach.value}>
          {say(OUT)}
        </button>
        <button
          type="button"
          onClick={() => zoom(scene, Number.POSITIVE_INFINITY)}
          aria-disabled={!state.reach.value}
        >
          {say(ALL)}
        </button>
        <button type="button" onClick={() => zoom(scene, side)} aria-disabled={!state.reach.value}>
          {say(DIAGONAL)}
        </button>
        {heads > 1 ? <HeadChoice scene={scene} heads={heads} place="map" /> : null}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a group of a picture, no fields of a form */}
      <div
        class="map"
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move through the picture
        tabIndex={0}
        aria-label={say(T(`Map of ${name.en}`, `${name.zh}图`))}
        aria-describedby={help}
        onKeyDown={(event) => keys(event, scene, side, window.value.size)}
        onPointerDown={(event) => point(event, scene, window.value)}
        onPointerMove={(event) => event.buttons & 1 && point(event, scene, window.value)}
        onWheel={(event) => {
          if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
          event.preventDefault();
          zoom(scene, side * 2 ** (event.deltaY / 200));
        }}
      >
        <Canvas
          name={id}
          height={square}
          label={label}
          base={base}
          over={over}
          array={() => ({
            map: { shape: [window.value.height, window.value.width], data: drawn.value },
          })}
        />
      </div>
      <p class="read" aria-live="polite">
        <Live text={() => reading(scene, window.value, drawn.value, say(name))} />
      </p>
      <p class="note" id={help}>
        {say(HELP)}
      </p>
      <Table
        name={id}
        caption={label}
        make={(by) => by.mapped({ window: window.value, values, at: [scene.at.value, scene.to.value] })}
      />
    </>
  );
}

function reading(scene: Scene, window: Window, values: Float64Array, name: string): string {
  const [i, j] = [scene.at.value, scene.to.value];
  const [row, column] = cellOf(window, i, j);
  const inside = row >= 0 && column >= 0 && row < window.height && column < window.width;
  const value = inside ? values[row * window.width + column] : Number.NaN;
  const { size } = window;
  const found = !inside
    ? say(T("outside the window", "不在显示范围内"))
    : Number.isNaN(value)
      ? say(T("masked", "被遮住"))
      : size === 1
        ? `${name} ${number(value)}`
        : say(
            T(
              `mean ${name} of ${size} × ${size} positions ${number(value)}`,
              `${size} × ${size} 个位置的平均${name} ${number(value)}`,
            ),
          );
  return say(
    T(`i = ${number(i)}, j = ${number(j)}: ${found}`, `i = ${number(i)}，j = ${number(j)}：${found}`),
  );
}

const cellOf = ({ row, column, size }: Window, i: number, j: number): [number, number] => [
  Math.floor((i - row) / size),
  Math.floor((j - column) / size),
];

function boxOf(width: number, height: number): Box {
  const side = Math.min(height - TOP - 26, width - LEFT - 4);
  return { x: LEFT, y: TOP, width: side, height: side };
}

function grid(pen: Pen, values: Float64Array, window: Window, { ramp, low, high }: Colours): void {
  const { ctx, palette } = pen;
  const box = boxOf(pen.width, pen.height);
  hatch(pen, box);
  cells(pen, values, window.height, window.width, ramp, low, high, box);
  ctx.strokeStyle = palette.rule;
  ctx.strokeRect(box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1);
  ctx.fillStyle = palette.quiet;
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  for (const k of [0, 0.5, 1]) {
    const i = Math.min(window.n - 1, window.row + Math.round(k * (window.height * window.size - 1)));
    ctx.fillText(number(i, 9), LEFT - 6, TOP + 5 + k * (box.height - 10));
  }
  ctx.textBaseline = "top";
  for (const k of [0, 0.5, 1]) {
    const j = Math.min(window.n - 1, window.column + Math.round(k * (window.width * window.size - 1)));
    ctx.textAlign = k === 0 ? "left" : k === 1 ? "right" : "center";
    ctx.fillText(number(j, 9), LEFT + k * box.width, TOP + box.height + 5);
  }
  ctx.textAlign = "left";
  ctx.fillText("i ↓  j →", 2, 2);
  legend(pen, ramp, number(low, 3), number(high, 3), LEFT + box.width - 130, 4, 90);
}

// What is masked: thin stripes, so that no colour is mistaken for a number.
export function hatch({ ctx, palette }: Pen, box: Box): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(box.x, box.y, box.width, box.height);
  ctx.clip();
  ctx.fillStyle = palette.page;
  ctx.fillRect(box.x, box.y, box.width, box.height);
  ctx.strokeStyle = palette.rule;
  ctx.beginPath();
  for (let k = -box.height; k < box.width; k += 8) {
    ctx.moveTo(box.x + k, box.y + box.height);
    ctx.lineTo(box.x + k + box.height, box.y);
  }
  ctx.stroke();
  ctx.restore();
}

function cross(pen: Pen, window: Window, scene: Scene): void {
  const { ctx, palette } = pen;
  const box = boxOf(pen.width, pen.height);
  const [row, column] = cellOf(window, scene.at.value, scene.to.value);
  const [high, wide] = [box.height / window.height, box.width / window.width];
  const [x, y] = [box.x + column * wide, box.y + row * high];
  ctx.strokeStyle = palette.ink;
  ctx.globalAlpha = 0.5;
  const within = { row: row >= 0 && row < window.height, column: column >= 0 && column < window.width };
  ctx.beginPath();
  if (within.row) {
    ctx.moveTo(box.x, y + high / 2);
    ctx.lineTo(box.x + box.width, y + high / 2);
  }
  if (within.column) {
    ctx.moveTo(x + wide / 2, box.y);
    ctx.lineTo(x + wide / 2, box.y + box.height);
  }
  ctx.stroke();
  ctx.globalAlpha = 1;
  if (!within.row || !within.column) return;
  const [across, down] = [Math.max(wide, 7), Math.max(high, 7)];
  ctx.lineWidth = 2;
  ctx.strokeRect(x + wide / 2 - across / 2, y + high / 2 - down / 2, across, down);
}

function point(event: PointerEvent, scene: Scene, window: Window): void {
  const element = (event.currentTarget as Element).querySelector(".canvas")!;
  const bounds = element.getBoundingClientRect();
  const box = boxOf(bounds.width, bounds.height);
  const row = Math.floor(((event.clientY - bounds.top - box.y) / box.height) * window.height);
  const column = Math.floor(((event.clientX - bounds.left - box.x) / box.width) * window.width);
  if (row < 0 || column < 0 || row >= window.height || column >= window.width) return;
  const middle = Math.floor((window.size - 1) / 2);
  batch(() => {
    scene.state.pos.value = Math.min(window.row + row * window.size + middle, window.n - 1);
    scene.state.other.value = Math.min(window.column + column * window.size + middle, window.n - 1);
  });
}

function keys(event: KeyboardEvent, scene: Scene, side: number, size: number): void {
  const step = size * (event.shiftKey ? 10 : 1);
  const moves: Record<string, () => void> = {
    ArrowUp: () => move(scene, "pos", -step),
    ArrowDown: () => move(scene, "pos", step),
    ArrowLeft: () => move(scene, "other", -step),
    ArrowRight: () => move(scene, "other", step),
    "+": () => zoom(scene, side / 2),
    "=": () => zoom(scene, side / 2),
    "-": () => zoom(scene, side * 2),
    "0": () => zoom(scene, Number.POSITIVE_INFINITY),
  };
  const act = moves[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  act();
}

function move(scene: Scene, name: "pos" | "other", by: number): void {
  const at = name === "pos" ? scene.at.value : scene.to.value;
  scene.state[name].value = Math.max(0, Math.min(at + by, scene.length.value - 1));
}

export const map: View = {
  id: "map",
  name: T("Map of all pairs", "所有位置对"),
  lead: T(
    "Row i, column j: how much position i has in common with position j, or what their distance adds to the score. Set the context to 1,000,000: each cell is the exact mean of the millions of pairs that it holds.",
    "第 i 行第 j 列：位置 i 与位置 j 有多像，或者它们的距离给得分加多少。把上下文长度设成 1,000,000 试试：每一格都是其中上百万对位置的精确平均。",
  ),
  lacks: (subject) =>
    subject.hands || subject.bias || subject.meanRow
      ? null
      : T("No two positions differ, so there is no map.", "任何两个位置都没有区别，所以没有图。"),
  Body: PairMap,
};
