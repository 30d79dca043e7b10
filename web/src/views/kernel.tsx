// The whole map as one curve: similarity, or the bias, by distance.

import { useMemo } from "preact/hooks";
import { Live } from "../controls/live";
import { Table } from "../controls/table";
import { Canvas, type Pen } from "../draw/canvas";
import { LINES } from "../draw/palette";
import { axes, dot, type Frame, frameOf, line, linear, path, type Scale } from "../draw/plot";
import { type Scene, together } from "../scene";
import { blockMeanOf, type Subject } from "../schemes/subject";
import { setText } from "../state/state";
import { number, say, T } from "../words";
import type { View } from "./view";

const tall = () => 280;
const SPANS = [64, 512, 4096, 32_768];
const MOST_LINES = 8;

const SPAN = T("Distances shown", "显示的距离");
const ALL = T("all", "全部");
const HEAD = T("Head", "注意力头");

export const spanOf = (scene: Scene) => {
  const all = scene.length.value - 1;
  return scene.state.span.value ? Math.min(scene.state.span.value, all) : all;
};

function Kernel({ scene }: { scene: Scene }) {
  const subject = scene.subject.value;
  const value = useMemo(() => valueAt(subject), [subject]);
  const { state } = scene;
  const name = subject.bias ? subject.bias.name : T("cosine similarity", "余弦相似度");
  const heads = subject.bias && !subject.bias.shared ? subject.bias.heads : 1;
  const label = say(T(`Curve of ${name.en} by distance.`, `${name.zh}随距离变化的曲线。`));
  return (
    <>
      <div class="tools">
        <label for={`set-span${scene.side}`}>{say(SPAN)}</label>
        <select
          id={`set-span${scene.side}`}
          value={String(state.span.value)}
          onChange={(event) => setText(state, "span", event.currentTarget.value)}
        >
          {[...new Set([...SPANS, state.span.value])]
            .filter((each) => each > 0)
            .sort((a, b) => a - b)
            .map((each) => (
              <option key={each} value={String(each)}>
                {number(each)}
              </option>
            ))}
          <option value="0">{say(ALL)}</option>
        </select>
        {heads > 1 ? <HeadChoice scene={scene} heads={heads} place="kernel" /> : null}
      </div>
      <Canvas
        name="kernel"
        height={tall}
        label={label}
        base={(pen) => curves(pen, scene, subject, say(name))}
        over={(pen) => mark(pen, scene, subject)}
        array={() => {
          const data = Float64Array.from({ length: spanOf(scene) + 1 }, (_, k) => value(k, state.head.value));
          return { curve: { shape: [data.length], data } };
        }}
      />
      <p class="read">
        <Live
          text={() => {
            const distance = scene.at.value - scene.to.value;
            const found = number(value(distance, state.head.value));
            return say(
              T(
                `Distance ${number(distance)}: ${name.en} ${found}`,
                `距离 ${number(distance)}：${name.zh} ${found}`,
              ),
            );
          }}
        />
      </p>
      <Table name="kernel" caption={label} make={(by) => by.kernel(scene, name)} />
    </>
  );
}

export function HeadChoice({ scene, heads, place }: { scene: Scene; heads: number; place: string }) {
  const id = `${place}-head${scene.side}`;
  return (
    <>
      <label for={id}>{say(HEAD)}</label>
      <input
        id={id}
        type="number"
        min={0}
        max={heads - 1}
        value={Math.min(scene.state.head.value, heads - 1)}
        onChange={(event) => setText(scene.state, "head", event.currentTarget.value)}
      />
    </>
  );
}

type ValueAt = (distance: number, head: number) => number;

export function valueAt(subject: Subject): ValueAt {
  const mean = blockMeanOf(subject, 0);
  if (subject.hands && mean) return (distance) => mean(distance, 1, 1);
  const { bias } = subject;
  if (!bias) return () => Number.NaN;
  return (distance, head) => {
    const curve = bias.curve(Math.min(head, bias.heads - 1));
    return curve.causal && distance < 0 ? Number.NaN : curve.at(distance);
  };
}

interface Axes {
  readonly frame: Frame;
  readonly x: Scale;
  readonly y: Scale;
}

function laidOut(pen: Pen, scene: Scene, subject: Subject): Axes {
  const frame = frameOf(pen);
  const span = spanOf(scene);
  const [low, high] = range(scene, subject, span);
  return {
    frame,
    x: linear(0, span, frame.left, frame.right),
    y: linear(low, high, frame.bottom, frame.top + 10),
  };
}

// Of both schemes, where two that are measured alike are shown.
function range(scene: Scene, subject: Subject, span: number): [number, number] {
  const name = subject.bias?.name.en;
  const ranges = together(scene)
    .filter((each) => each.subject.value.bias?.name.en === name)
    .map((each) => ownRange(each, each.subject.value, span));
  return [Math.min(...ranges.map(([low]) => low)), Math.max(...ranges.map(([, high]) => high))];
}

function ownRange(scene: Scene, subject: Subject, span: number): [number, number] {
  const curve = scene.curve.value;
  if (curve) return [Math.min(0, Math.floor(10 * minimum(curve, span)) / 10), 1];
  const { bias } = subject;
  if (!bias) return [0, 1];
  const ends = Array.from({ length: bias.shared ? 1 : bias.heads }, (_, h) => bias.curve(h).at(span));
  return [Math.min(0, ...ends), Math.max(0, ...ends)];
}

function minimum(curve: Float64Array, span: number): number {
  let lowest = 1;
  for (let k = 0; k <= span && k < curve.length; k++) lowest = Math.min(lowest, curve[k]);
  return lowest;
}

function curves(pen: Pen, scene: Scene, subject: Subject, name: string): void {
  const { ctx, palette } = pen;
  const { frame, x, y } = laidOut(pen, scene, subject);
  axes(pen, frame, x, y, say(T("distance (tokens)", "距离（词元）")), name);
  ctx.strokeStyle = palette.quiet;
  if (y(0) > frame.top && y(0) <= frame.bottom) line(ctx, frame.left, y(0), frame.right, y(0));
  ctx.lineWidth = 1.5;
  if (subject.hands) similarity(pen, scene, subject, { frame, x, y });
  else if (subject.bias) biases(pen, scene, subject.bias, { frame, x, y });
}

// Every distance where there is room; else the range that each column of pixels holds, and its mean.
function similarity(pen: Pen, scene: Scene, subject: Subject, { frame, x, y }: Axes): void {
  const { ctx, palette } = pen;
  const curve = scene.curve.value!;
  const span = spanOf(scene);
  const across = Math.round(frame.right - frame.left);
  ctx.strokeStyle = palette.accent;
  if (span <= across * 2) {
    const shown = Array.from(curve.subarray(0, span + 1), (value, k): [number, number] => [x(k), y(value)]);
    path(ctx, shown);
    if (span <= 80) for (const [px, py] of shown) dot(pen, px, py, palette.accent, 2);
    return;
  }
  const mean = blockMeanOf(subject, 0)!;
  const means: [number, number][] = [];
  ctx.fillStyle = palette.accent;
  ctx.globalAlpha = 0.35;
  for (let px = 0; px < across; px++) {
    const from = Math.ceil((px / across) * span);
    const to = Math.max(Math.ceil(((px + 1) / across) * span), from + 1);
    if (to <= curve.length) {
      let [low, high] = [curve[from], curve[from]];
      for (let k = from; k < to; k++) {
        low = Math.min(low, curve[k]);
        high = Math.max(high, curve[k]);
      }
      ctx.fillRect(frame.left + px, y(high), 1, Math.max(y(low) - y(high), 1));
    }
    means.push([frame.left + px + 0.5, y(mean(from, to - from, 1))]);
  }
  ctx.globalAlpha = 1;
  path(ctx, means);
}

/** Heads that have a line: the first few, and the one chosen; a curve of hands is one line. */
export function linesOf({ state, subject }: Scene): number[] {
  const { bias } = subject.value;
  if (!bias || bias.shared) return [0];
  const few = Array.from({ length: Math.min(bias.heads, MOST_LINES) }, (_, head) => head);
  return [...new Set([...few, Math.min(state.head.value, bias.heads - 1)])];
}

function biases(pen: Pen, scene: Scene, bias: NonNullable<Subject["bias"]>, { frame, x, y }: Axes): void {
  const { ctx, palette } = pen;
  const span = spanOf(scene);
  const points = Math.min(span, 2 * Math.round(frame.right - frame.left));
  for (const head of linesOf(scene)) {
    const own = bias.shared || head === Math.min(scene.state.head.value, bias.heads - 1);
    ctx.strokeStyle = own ? palette.accent : LINES[head % LINES.length];
    ctx.lineWidth = own ? 2.5 : 1;
    const { at } = bias.curve(head);
    const shown: [number, number][] = [];
    for (let k = 0; k <= points; k++) {
      const distance = Math.round((k / points) * span);
      const value = y(at(distance));
      // Buckets are steps: nothing lies between two of them.
      if (bias.shared && shown.length) shown.push([x(distance), shown[shown.length - 1][1]]);
      shown.push([x(distance), value]);
    }
    path(ctx, shown);
  }
}

function mark(pen: Pen, scene: Scene, subject: Subject): void {
  const { frame, x, y } = laidOut(pen, scene, subject);
  const distance = Math.abs(scene.at.value - scene.to.value);
  if (distance > spanOf(scene)) return;
  const value = valueAt(subject)(distance, scene.state.head.value);
  pen.ctx.strokeStyle = pen.palette.quiet;
  pen.ctx.setLineDash([3, 3]);
  line(pen.ctx, x(distance), frame.top, x(distance), frame.bottom);
  pen.ctx.setLineDash([]);
  dot(pen, x(distance), y(value), pen.palette.ink, 5);
}

export const kernel: View = {
  id: "kernel",
  name: T("By distance", "随距离变化"),
  lead: T(
    "All cells along a diagonal of the map are alike, so the whole map is this one curve. Where it is drawn as a band, a pixel holds many distances (up to 65,536 are looked at one by one) and the line is their mean.",
    "图上同一条对角线的格子全都相同，所以整张图就是这一条曲线。画成带状的地方，一个像素包含许多距离（前 65,536 个逐一计算），线是它们的平均。",
  ),
  lacks: (subject) =>
    subject.hands || subject.bias
      ? null
      : subject.table
        ? T(
            "Rows of a table follow no rule, so similarity is not a function of distance.",
            "表中各行没有规律，所以相似度不是距离的函数。",
          )
        : T("Nothing depends on distance here.", "这里没有任何东西随距离变化。"),
  Body: Kernel,
};
