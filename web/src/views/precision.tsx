// What is left of positions and angles in few bits: which positions become one, how far angles go wrong.

import { useComputed } from "@preact/signals";
import { Table } from "../controls/table";
import { Canvas, type Pen } from "../draw/canvas";
import { LINES } from "../draw/palette";
import { axes, dot, frameOf, linear, logarithmic, path } from "../draw/plot";
import { angleError, distinctPositions, PRECISIONS, type Precision, rounded } from "../math/precision";
import type { Scene } from "../scene";
import { number, say, T } from "../words";
import type { View } from "./view";

const CURVES = T(
  "Worst angle error by position, one line a precision.",
  "最大角度误差随位置变化，每种精度一条线。",
);
const tall = () => 250;
const AROUND = 8;
const COLOURS: Record<Precision, string> = { fp32: LINES[2], bf16: LINES[1], fp16: LINES[0] };

function PrecisionView({ scene }: { scene: Scene }) {
  const { state, subject } = scene;
  const kind = state.dtype.value;
  const context = state.context.value;
  const found = useComputed(() => distinctPositions(state.context.value, state.dtype.value));
  const { distinct, firstClash } = found.value;
  const clash =
    firstClash === null
      ? T("none collides", "没有重合")
      : T(
          `${number(firstClash, 9)} and ${number(firstClash + 1, 9)} are the first to become one`,
          `最先重合的是 ${number(firstClash, 9)} 和 ${number(firstClash + 1, 9)}`,
        );
  return (
    <>
      <p class="read">
        {say(
          T(
            `Kept in ${kind}, ${number(distinct, 9)} of ${number(context, 9)} positions stay distinct: ${clash.en}.`,
            `用 ${kind} 存位置，${number(context, 9)} 个位置中只有 ${number(distinct, 9)} 个互不相同：${clash.zh}。`,
          ),
        )}
      </p>
      <Collisions scene={scene} />
      {subject.value.hands ? (
        <Canvas
          name="precision"
          height={tall}
          label={say(CURVES)}
          base={(pen) => errors(pen, scene)}
          over={(pen) => here(pen, scene)}
        />
      ) : null}
      {subject.value.hands ? (
        <Table name="errors" caption={say(CURVES)} make={(by) => by.errors(scene)} />
      ) : null}
      <Table name="precision" caption={say(precision.name)} make={(by) => by.precision(scene)} />
    </>
  );
}

/** Positions around the one looked at, and what each is stored as. */
function Collisions({ scene }: { scene: Scene }) {
  const kind = scene.state.dtype.value;
  const first = Math.max(0, Math.min(scene.at.value - AROUND, scene.length.value - 2 * AROUND - 1));
  const count = Math.min(2 * AROUND + 1, scene.length.value - first);
  const places = Array.from({ length: count }, (_, k) => first + k);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <ol class="collisions" tabIndex={0} aria-label={say(T("Positions as stored", "存储后的位置"))}>
      {places.map((place) => {
        const stored = rounded(place, kind);
        const joined =
          rounded(place + 1, kind) === stored || (place > 0 && rounded(place - 1, kind) === stored);
        return (
          <li
            key={place}
            class={joined ? "joined" : ""}
            aria-current={place === scene.at.value ? "true" : undefined}
          >
            <span>{number(place, 9)}</span>
            <span aria-hidden="true">↓</span>
            <span>{number(stored, 9)}</span>
          </li>
        );
      })}
    </ol>
  );
}

/** Positions at which the curves are reckoned. */
export const placesOf = (context: number) => {
  const last = Math.log(Math.max(context - 1, 2));
  return [...new Set(Array.from({ length: 160 }, (_, k) => Math.round(Math.exp((k / 159) * last))))];
};

const FLOOR = 1e-9;

function laidOut(pen: Pen, scene: Scene) {
  const frame = frameOf(pen, 52, 36, 16);
  return {
    frame,
    x: logarithmic(1, Math.max(scene.state.context.value - 1, 2), frame.left, frame.right),
    y: logarithmic(FLOOR, 10_000, frame.bottom, frame.top),
  };
}

function errors(pen: Pen, scene: Scene): void {
  const { ctx } = pen;
  const hands = scene.subject.value.hands!;
  const { frame, x, y } = laidOut(pen, scene);
  axes(pen, frame, x, y, say(T("position", "位置")), say(T("angle error (rad)", "角度误差（弧度）")));
  const places = placesOf(scene.state.context.value);
  for (const kind of PRECISIONS) {
    ctx.strokeStyle = COLOURS[kind];
    ctx.lineWidth = kind === scene.state.dtype.value ? 2.5 : 1.2;
    const points = places.map((place): [number, number] => {
      const error = angleError(hands.invFreq, place, kind);
      return [x(place), Number.isFinite(error) ? y(Math.max(error, FLOOR)) : Number.NaN];
    });
    path(ctx, points);
  }
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  const legend = linear(0, PRECISIONS.length, frame.left + 10, frame.left + 190);
  PRECISIONS.forEach((kind, k) => {
    dot(pen, legend(k), frame.top + 6, COLOURS[kind]);
    ctx.fillStyle = pen.palette.ink;
    ctx.fillText(kind, legend(k) + 8, frame.top + 6);
  });
}

function here(pen: Pen, scene: Scene): void {
  const hands = scene.subject.value.hands;
  const at = scene.at.value;
  if (!hands || at < 1) return;
  const { x, y } = laidOut(pen, scene);
  const error = angleError(hands.invFreq, at, scene.state.dtype.value);
  if (Number.isFinite(error)) dot(pen, x(at), y(Math.max(error, FLOOR)), pen.palette.ink, 5);
}

export const precision: View = {
  id: "precision",
  name: T("Precision", "精度"),
  lead: T(
    "Positions are whole numbers, and angles need many bits. Kept in 16 bits, neighbours become one and fast hands point anywhere. Compute angles in at least float32 and cast last.",
    "位置是整数，角度需要足够的位数。用 16 位存，相邻位置会重合，快针会乱指。角度至少用 float32 计算，最后再转换。",
  ),
  lacks: () => null,
  ofPositions: true,
  Body: PrecisionView,
};
