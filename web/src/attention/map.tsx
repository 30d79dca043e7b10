// One head, large: a cell for a pair of tokens, or for a block of them; the rest of the page follows the cell.

import { batch, useComputed, useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { Live } from "../controls/live";
import { Table } from "../controls/table";
import { Canvas, type Pen } from "../draw/canvas";
import { type Box, legend } from "../draw/cells";
import { sizeRamp } from "../draw/palette";
import type { Arrays } from "../export/zip";
import { mapped } from "../tables/map";
import type { Rows } from "../tables/rows";
import { number, same, say, T } from "../words";
import { brightest, DECADES, pooled, weigh } from "./colours";
import { cut, downwards, type Look, named, weightAt } from "./look";
import type { Window } from "./weights";

const [LEFT, TOP, BARS] = [88, 84, 26]; // for labels, and for the sums beside the map
const LEGEND = 22;
const LINE = 15; // pixels that a label needs
const LEAST = 8; // tokens on a side, zoomed in all the way

const sideOf = (width: number) => Math.min(width - LEFT - BARS - 8, 620);
const tall = (width: number) => sideOf(width) + TOP + BARS + LEGEND + 8;
const boxOf = (width: number): Box => ({ x: LEFT, y: TOP, width: sideOf(width), height: sideOf(width) });

const IN = T("Zoom in", "放大");
const OUT = T("Zoom out", "缩小");
const ALL = T("Whole map", "整张图");
const HELP = T(
  "Point at a cell, or move with the arrow keys (with Shift, ten at a time). Plus and minus zoom, 0 shows all; drag to " +
    "move a zoomed map. Stripes are masked or hidden; bars are the sums of what is shown, by query and by key.",
  "指向一个格子，或用方向键移动（按住 Shift 每次十格）；加号、减号和 0 缩放，放大后可以拖动。" +
    "斜纹：被遮住或已隐藏。条形：图中所见部分按查询、按键的总和。",
);

export function HeadMap({ look }: { look: Look }) {
  const { state } = look;
  const wide = useSignal(0);
  const held = useRef<{ x: number; y: number; top: number; left: number } | null>(null);
  const side = useComputed(() => Math.min(state.side.value || Number.POSITIVE_INFINITY, count(look)));
  const height = useMemo(
    () => (width: number) => {
      wide.value = sideOf(width);
      return tall(width);
    },
    [],
  );
  const base = useMemo(() => (pen: Pen) => grid(pen, look), [look]);
  const over = useMemo(() => (pen: Pen) => cross(pen, look), [look]);
  const all = side.value === count(look);
  const name = say(T(`Attention of head ${look.head.value}`, `${look.head.value} 号头的注意力`));
  return (
    <>
      <div class="tools">
        <button type="button" data-control="zoom-in" onClick={() => zoom(look, side.value / 2)}>
          {say(IN)}
        </button>
        <button type="button" aria-disabled={all} onClick={() => zoom(look, side.value * 2)}>
          {say(OUT)}
        </button>
        <button type="button" aria-disabled={all} onClick={() => zoom(look, Number.POSITIVE_INFINITY)}>
          {say(ALL)}
        </button>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a group of a picture, no fields of a form */}
      <div
        class="map"
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move through the picture
        tabIndex={0}
        aria-label={name}
        aria-describedby="heads-help"
        onKeyDown={(event) => keys(event, look, side.value)}
        onPointerDown={(event) => {
          point(event, look, wide.value);
          held.current = {
            x: event.clientX,
            y: event.clientY,
            top: look.window.value.row,
            left: look.window.value.column,
          };
        }}
        onPointerMove={(event) => {
          if (event.buttons & 1 && held.current && !all) drag(event, look, wide.value, held.current);
          else point(event, look, wide.value);
        }}
        onWheel={(event) => {
          if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
          event.preventDefault();
          zoom(look, side.value * 2 ** (event.deltaY / 200));
        }}
      >
        <Canvas
          name="attention"
          height={height}
          label={name}
          base={base}
          over={over}
          array={() => arrays(look)}
        />
        <Labels look={look} wide={wide.value} />
      </div>
      <p class="read" aria-live="polite">
        <Live text={() => reading(look)} />
      </p>
      <p class="note" id="heads-help">
        {say(HELP)}
      </p>
      <Table name="attention" caption={name} make={() => drawn(look)} />
    </>
  );
}

const count = (look: Look) => look.one.value.tokens.length;

/** Cells that have a label: as many as there is room for. */
function labelled(start: number, cells: number, { size }: Window, look: Look, wide: number) {
  const each = Math.max(1, Math.ceil((LINE * cells) / wide));
  const found: { token: number; at: number }[] = [];
  for (let n = 0; n < cells; n += each) {
    const token = start + n * size;
    if (token < count(look)) found.push({ token, at: (n + 0.5) / cells });
  }
  return found;
}

function Labels({ look, wide }: { look: Look; wide: number }) {
  if (wide <= 0) return null;
  const window = look.window.value;
  const { tokens, marks } = look.one.value;
  const one = (kind: string, at: Record<string, string>, token: number) => (
    <bdi key={token} class={marks[token] ? `${kind} sign` : kind} style={at}>
      {cut(tokens[token])}
    </bdi>
  );
  return (
    <div class="labels" aria-hidden="true">
      {labelled(window.row, window.height, window, look, wide).map(({ token, at }) =>
        one("of-row", { top: `${TOP + at * wide}px`, width: `${LEFT - 6}px` }, token),
      )}
      {labelled(window.column, window.width, window, look, wide).map(({ token, at }) =>
        one("of-column", { left: `${LEFT + at * wide}px`, height: `${TOP - 6}px` }, token),
      )}
    </div>
  );
}

function grid(pen: Pen, look: Look): void {
  const { ctx, palette } = pen;
  const box = boxOf(pen.width);
  const window = look.window.value;
  const { height, width } = window;
  const found = weigh(pen, look, look.head.value, window, box, true);
  ctx.strokeStyle = palette.rule;
  ctx.strokeRect(box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1);
  const [queries, keys] = [new Float64Array(height), new Float64Array(width)];
  for (let n = 0; n < found.sum.length; n++) {
    queries[Math.floor(n / width)] += found.sum[n];
    keys[n % width] += found.sum[n];
  }
  ctx.fillStyle = palette.quiet;
  bars(queries, box.height, (at, thick, long) =>
    ctx.fillRect(box.x + box.width + 4, box.y + at, long, thick),
  );
  bars(keys, box.width, (at, thick, long) => ctx.fillRect(box.x + at, box.y + box.height + 4, thick, long));
  ctx.fillStyle = palette.quiet;
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  ctx.fillText(say(T("query ↓", "查询 ↓")), 2, TOP - 36);
  ctx.fillText(say(T("key →", "键 →")), 2, TOP - 18);
  const [most, shade] = [brightest(look, look.head.value), look.state.shade.value];
  const low =
    shade === "rank" ? say(T("lowest", "最低")) : shade === "log" ? number(most / 10 ** DECADES, 2) : "0";
  const high = shade === "rank" ? say(T("highest of its row", "行内最高")) : number(most, 3);
  legend(pen, sizeRamp(), low, high, LEFT + 10, pen.height - 14, 90);
  if (found.more) ctx.fillText(say(T("computing …", "计算中")), LEFT + 190, pen.height - 10);
  if (pen.paper) written(pen, look, box);
}

/** What stands beside the map as text, drawn: a file has no page around it. */
function written(pen: Pen, look: Look, box: Box): void {
  const { ctx, palette } = pen;
  const window = look.window.value;
  const { tokens } = look.one.value;
  ctx.fillStyle = palette.ink;
  ctx.textBaseline = "middle";
  const fitted = (label: string, room: number) => {
    const signs = [...cut(label)];
    while (signs.length > 1 && ctx.measureText(signs.join("")).width > room) signs.splice(-2, 2, "…");
    return signs.join("");
  };
  ctx.textAlign = "right";
  for (const { token, at } of labelled(window.row, window.height, window, look, box.height))
    ctx.fillText(fitted(tokens[token], LEFT - 8), LEFT - 6, box.y + at * box.height);
  for (const { token, at } of labelled(window.column, window.width, window, look, box.width))
    downwards(pen, fitted(tokens[token], TOP - 8), box.x + at * box.width, TOP - 6, true);
}

function bars(
  sums: Float64Array,
  side: number,
  draw: (at: number, thick: number, long: number) => void,
): void {
  const most = Math.max(...sums) || 1;
  const step = side / sums.length;
  sums.forEach((sum, n) => {
    draw(n * step, Math.max(step - (step > 4 ? 1 : 0), 0.5), (BARS * sum) / most);
  });
}

const cellOf = ({ row, column, size }: Window, i: number, j: number) => [
  Math.floor((i - row) / size),
  Math.floor((j - column) / size),
];

function cross(pen: Pen, look: Look): void {
  const { ctx, palette } = pen;
  const box = boxOf(pen.width);
  const window = look.window.value;
  const [down, across] = cellOf(window, look.query.value, look.key.value);
  const [high, wide] = [box.height / window.height, box.width / window.width];
  ctx.strokeStyle = palette.accent;
  ctx.lineWidth = 1.5;
  if (down >= 0 && down < window.height) ctx.strokeRect(box.x, box.y + down * high, box.width, high);
  if (across >= 0 && across < window.width) ctx.strokeRect(box.x + across * wide, box.y, wide, box.height);
}

function reading(look: Look): string {
  const [i, j, one] = [look.query.value, look.key.value, look.one.value];
  const weight = weightAt(look, i, j);
  const [query, key] = [named(one, i), named(one, j)];
  const said = Number.isNaN(weight)
    ? T("masked", "被遮住")
    : T(`weight ${number(weight, 4)}`, `权重 ${number(weight, 4)}`);
  const { size } = look.window.value;
  const block = size > 1 ? blockOf(look, size) : same("");
  return say(
    T(
      `Query ${query.en} → key ${key.en}: ${said.en}${block.en}`,
      `查询 ${query.zh} → 键 ${key.zh}：${said.zh}${block.zh}`,
    ),
  );
}

function blockOf(look: Look, size: number) {
  look.made.value;
  const start = (token: number) => token - (token % size);
  const [row, column] = [start(look.query.value), start(look.key.value)];
  const found = pooled(look, look.head.value, { size, row, column, height: 1, width: 1 });
  const [mean, most] = [number(found.sum[0] / found.count[0], 4), number(found.most[0], 4)];
  return T(
    `; in its block of ${size} × ${size} the mean is ${mean}, the largest ${most}`,
    `；所在的 ${size} × ${size} 格中，平均 ${mean}，最大 ${most}`,
  );
}

/** The cells as a table. */
function drawn(look: Look): Rows {
  const { tokens } = look.one.value;
  return mapped({
    window: look.window.value,
    values: (part: Window) => pooled(look, look.head.value, part, Number.POSITIVE_INFINITY).values,
    at: [look.query.value, look.key.value],
    name: (token) => `${token} ${cut(tokens[token], 40)}`,
  });
}

/** What the map shows, in numbers: cells, and the tokens at which they begin. */
function arrays(look: Look): Arrays {
  const window = look.window.value;
  const { size, row, column, height, width } = window;
  const { values, sum, count: pairs } = pooled(look, look.head.value, window, Number.POSITIVE_INFINITY);
  const starts = (from: number, cells: number) =>
    Float64Array.from({ length: cells }, (_, n) => from + n * size);
  const shape = [height, width];
  return {
    weights: { shape, data: values },
    mean: { shape, data: sum.map((each, n) => each / pairs[n]) },
    query: { shape: [height], data: starts(row, height) },
    key: { shape: [width], data: starts(column, width) },
  };
}

/** Show `side` tokens around the cell. */
function zoom(look: Look, side: number): void {
  const [n, { state }] = [count(look), look];
  const wanted = Math.max(Math.round(side), Math.min(LEAST, n));
  batch(() => {
    state.side.value = wanted >= n ? 0 : wanted;
    state.top.value = Math.max(0, look.query.value - (wanted >> 1));
    state.left.value = Math.max(0, look.key.value - (wanted >> 1));
  });
}

interface Held {
  readonly x: number;
  readonly y: number;
  readonly top: number;
  readonly left: number;
}

function drag(event: PointerEvent, look: Look, wide: number, held: Held): void {
  const { height, size } = look.window.value;
  const token = (pixels: number) => Math.round((pixels / wide) * height * size);
  const most = count(look) - look.state.side.value;
  const within = (value: number) => Math.max(0, Math.min(value, most));
  batch(() => {
    look.state.top.value = within(held.top - token(event.clientY - held.y));
    look.state.left.value = within(held.left - token(event.clientX - held.x));
  });
}

function point(event: PointerEvent, look: Look, wide: number): void {
  const bounds = (event.currentTarget as Element).querySelector(".canvas")!.getBoundingClientRect();
  const window = look.window.value;
  const down = Math.floor(((event.clientY - bounds.top - TOP) / wide) * window.height);
  const across = Math.floor(((event.clientX - bounds.left - LEFT) / wide) * window.width);
  if (down < 0 || across < 0 || down >= window.height || across >= window.width) return;
  const middle = (window.size - 1) >> 1;
  batch(() => {
    look.state.query.value = window.row + down * window.size + middle;
    look.state.key.value = window.column + across * window.size + middle;
  });
}

function keys(event: KeyboardEvent, look: Look, side: number): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const step = look.window.value.size * (event.shiftKey ? 10 : 1);
  const zooms: Record<string, number> = { "+": 0.5, "=": 0.5, "-": 2, "0": Number.POSITIVE_INFINITY };
  const moves: Record<string, [number, number]> = {
    ArrowUp: [-step, 0],
    ArrowDown: [step, 0],
    ArrowLeft: [0, -step],
    ArrowRight: [0, step],
  };
  const [move, by] = [moves[event.key], zooms[event.key]];
  if (!move && !by) return;
  event.preventDefault();
  if (by) zoom(look, side * by);
  else
    batch(() => {
      const within = (token: number) => Math.max(0, Math.min(token, count(look) - 1));
      const { state } = look;
      state.query.value = within(look.query.value + move[0]);
      state.key.value = within(look.key.value + move[1]);
      follow(look);
    });
}

// The window goes with a cell that leaves it.
function follow(look: Look): void {
  const { row, column, height, width, size } = look.window.value;
  const moved = (at: number, start: number, cells: number) =>
    at < start ? at : at >= start + cells * size ? at - (cells - 1) * size : start;
  look.state.top.value = moved(look.query.value, row, height);
  look.state.left.value = moved(look.key.value, column, width);
}
