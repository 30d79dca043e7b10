// The ladder as a curve that is bent: by its points or by any hand on it, with the mouse, a finger or keys.

import { batch, useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { Live } from "../controls/live";
import { Table } from "../controls/table";
import { Canvas, type Pen } from "../draw/canvas";
import { handColours, LINES } from "../draw/palette";
import { axes, dot, type Frame, frameOf, line, linear, path, type Scale } from "../draw/plot";
import { TURN } from "../math/exact";
import { bent, FASTEST, GAP, type Point, SLOWEST } from "../math/ladder";
import type { Scene } from "../scene";
import { number, say, T } from "../words";

const tall = () => 340;
const NEAR = 22; // pixels: as far as a finger may miss
const STEP = 0.05; // of a decade, a key
const HELP = T(
  "Drag a point, or any hand on the curve: it becomes a point. Keys: Page Up and Page Down choose a point, arrows move " +
    "it, + adds one, Delete takes it away.",
  "拖动控制点，或曲线上的任意一根指针（它会变成控制点）。键盘：Page Up、Page Down 选点，方向键移动，+ 添加，Delete 删除。",
);
const NAME = T("Ladder of speeds", "频率阶梯");

interface Props {
  readonly scene: Scene;
  readonly points: readonly Point[];
  /** The ladder of the other end of the layers, drawn thin; empty where all are alike. */
  readonly others: readonly Point[];
  /** `fresh`: a new step for undo; not while one drag goes on. */
  readonly change: (points: readonly Point[], fresh: boolean) => void;
}

interface Axes {
  readonly frame: Frame;
  readonly x: Scale;
  readonly y: Scale;
}

function laidOut(width: number, height: number, [low, high]: readonly [number, number]): Axes {
  const frame = frameOf({ width, height } as Pen, 64, 36, 18, 22);
  return {
    frame,
    x: linear(0, 1, frame.left, frame.right),
    y: linear(low, high, frame.top, frame.bottom), // slow hands are high, as where wavelengths are drawn
  };
}

/** Whole decades of speed that hold the points, the hands and a turn in the context. */
function rangeOf(scene: Scene, points: readonly Point[]): readonly [number, number] {
  const hands = Array.from(scene.subject.value.hands!.invFreq).filter((speed) => speed > 0);
  const lowest = Math.min(...points.map(({ y }) => y), ...hands.map(Math.log10), -4);
  return [Math.max(Math.floor(lowest - 0.3), SLOWEST), FASTEST + 0.1];
}

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);
const round = (value: number, digits = 3) => Math.round(value * 10 ** digits) / 10 ** digits;

/** The points with point `k` elsewhere: between its neighbours, and within bounds. */
function moved(points: readonly Point[], k: number, x: number, y: number): readonly Point[] {
  const least = k > 0 ? points[k - 1].x + GAP : 0;
  const most = k < points.length - 1 ? points[k + 1].x - GAP : 1;
  const place = { x: round(clamp(x, least, most), 5), y: round(clamp(y, SLOWEST, FASTEST)) };
  return points.map((point, n) => (n === k ? place : point));
}

/** With one more point on the curve, at `x`; and which it is. */
function added(points: readonly Point[], x: number): [readonly Point[], number] {
  const near = points.findIndex((point) => Math.abs(point.x - x) < 2 * GAP);
  if (near >= 0 || points.length >= 24) return [points, Math.max(near, 0)];
  const point = { x: round(x, 5), y: round(bent(points, x)) };
  const all = [...points, point].sort((a, b) => a.x - b.x);
  return [all, all.indexOf(point)];
}

export function Editor({ scene, points, others, change }: Props) {
  const chosen = useSignal(0);
  const held = useSignal<readonly [number, number] | null>(null); // the axes stand still during a drag
  const box = useRef<HTMLDivElement>(null);
  const k = Math.min(chosen.value, points.length - 1);
  const n = scene.subject.value.hands!.invFreq.length;
  const range = held.value ?? rangeOf(scene, [...points, ...others]);
  const placeOf = (event: { clientX: number; clientY: number }) => {
    const bounds = box.current!.querySelector(".canvas")!.getBoundingClientRect();
    const laid = laidOut(bounds.width, bounds.height, range);
    return { laid, px: event.clientX - bounds.left, py: event.clientY - bounds.top };
  };
  /** The point under the pointer, or the hand on the curve that would become one. */
  const under = (event: { clientX: number; clientY: number }): [readonly Point[], number] | null => {
    const { laid, px, py } = placeOf(event);
    const away = points.map(({ x, y }) => Math.hypot(laid.x(x) - px, laid.y(y) - py));
    const best = away.indexOf(Math.min(...away));
    if (away[best] <= NEAR) return [points, best];
    const x = clamp(Math.round(laid.x.invert(px) * n) / n, 0, 1);
    return Math.abs(laid.y(bent(points, x)) - py) <= NEAR ? added(points, x) : null;
  };
  const grab = (event: PointerEvent) => {
    const found = event.isPrimary && event.button === 0 ? under(event) : null;
    if (!found) return;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    batch(() => {
      held.value = range;
      chosen.value = found[1];
      change(found[0], true);
    });
  };
  const drag = (event: PointerEvent) => {
    if (!held.value) return;
    const { laid, px, py } = placeOf(event);
    change(moved(points, k, laid.x.invert(px), laid.y.invert(py)), false);
  };
  const drop = () => {
    held.value = null;
  };
  const remove = () => {
    if (points.length < 3) return;
    change(
      points.filter((_, each) => each !== k),
      true,
    );
    chosen.value = Math.max(k - 1, 0);
  };
  const add = () => {
    const next = points[k + 1] ?? points[k - 1];
    const [all, place] = added(points, (points[k].x + next.x) / 2);
    chosen.value = place;
    change(all, true);
  };
  const keys = (event: KeyboardEvent) => {
    const { x, y } = points[k];
    const size = event.shiftKey ? 5 : 1;
    const move = (across: number, up: number) =>
      change(
        moved(points, k, across ? (Math.round(x * n) + across * size) / n : x, y + up * size * STEP),
        true,
      );
    const acts: Record<string, () => void> = {
      ArrowUp: () => move(0, -1),
      ArrowDown: () => move(0, 1),
      ArrowLeft: () => move(-1, 0),
      ArrowRight: () => move(1, 0),
      PageDown: () => {
        chosen.value = Math.min(k + 1, points.length - 1);
      },
      PageUp: () => {
        chosen.value = Math.max(k - 1, 0);
      },
      Delete: remove,
      Backspace: remove,
      "+": add,
      "=": add,
    };
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  const base = useMemo(
    () => (pen: Pen) => curve(pen, scene, points, others, range),
    [scene, points, others, range[0], range[1]],
  );
  const over = useMemo(() => (pen: Pen) => handles(pen, points, k, range), [points, k, range[0], range[1]]);
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a group of a picture, no fields of a form */}
      <div
        ref={box}
        class="ladder"
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys bend the curve
        tabIndex={0}
        aria-label={say(NAME)}
        aria-describedby="ladder-help"
        onKeyDown={keys}
        onPointerDown={grab}
        onPointerMove={drag}
        onPointerUp={drop}
        onPointerCancel={drop}
        onTouchStart={(event) => under(event.touches[0]) && event.preventDefault()} // else the page would scroll
      >
        <Canvas name="ladder" height={tall} label={say(NAME)} base={base} over={over} />
      </div>
      <p class="read" aria-live="polite">
        <Live
          text={() => {
            const { x, y } = points[k];
            const [hand, tokens] = [number(round(x * n, 2)), number(TURN / 10 ** y, 4)];
            return say(
              T(
                `Point ${k + 1} of ${points.length}: hand ${hand}, ${tokens} tokens a turn`,
                `第 ${k + 1} 个控制点，共 ${points.length} 个：指针 ${hand}，一圈 ${tokens} 个词元`,
              ),
            );
          }}
        />
      </p>
      <div class="tools">
        <button type="button" onClick={add} data-control="add-point">
          {say(T("Add a point", "添加控制点"))}
        </button>
        <button type="button" onClick={remove} aria-disabled={points.length < 3}>
          {say(T("Remove the point", "删除控制点"))}
        </button>
      </div>
      <p class="note" id="ladder-help">
        {say(HELP)}
      </p>
      <Table
        name="ladder"
        caption={say(NAME)}
        make={(by) => by.ladder(points, others, scene.subject.value.hands!.invFreq)}
      />
    </>
  );
}

function curve(
  pen: Pen,
  scene: Scene,
  points: readonly Point[],
  others: readonly Point[],
  range: readonly [number, number],
): void {
  const { ctx, palette } = pen;
  const { frame, x, y } = laidOut(pen.width, pen.height, range);
  const { invFreq } = scene.subject.value.hands!;
  const n = invFreq.length;
  // Speeds are what is bent; tokens a turn are what is read.
  const ticks = [10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9].filter(
    (long) => Math.log10(TURN / long) >= range[0],
  );
  const across = Object.assign((value: number) => x(value / n), {
    invert: (pixel: number) => x.invert(pixel) * n,
    ticks: linear(0, n, 0, 1, Math.min(n, 8)).ticks.filter((tick) => Number.isInteger(tick) && tick <= n),
  });
  const up = Object.assign((long: number) => y(Math.log10(TURN / long)), {
    invert: (pixel: number) => pixel,
    ticks,
  });
  axes(pen, frame, across, up, say(T("hand", "指针")), say(T("tokens a turn", "每圈词元数")));
  const context = y(Math.log10(TURN / scene.state.context.value));
  if (context < frame.bottom && context > frame.top) {
    ctx.strokeStyle = ctx.fillStyle = palette.accent;
    ctx.setLineDash([6, 4]);
    line(ctx, frame.left, context, frame.right, context);
    ctx.setLineDash([]);
    ctx.textAlign = "left"; // where hands are fast, and their dots far below
    ctx.textBaseline = "bottom";
    ctx.fillText(say(T("context", "上下文")), frame.left + 4, context - 2);
  }
  const places = Array.from({ length: 200 }, (_, k) => k / 199);
  const drawn = (of: readonly Point[]) => places.map((at): [number, number] => [x(at), y(bent(of, at))]);
  if (others.length) {
    ctx.strokeStyle = palette.quiet;
    path(ctx, drawn(others));
  }
  ctx.strokeStyle = LINES[0];
  ctx.lineWidth = 2;
  path(ctx, drawn(points));
  ctx.lineWidth = 1;
  const colours = handColours(palette, n);
  const size = clamp(200 / n, 1.5, 4.5);
  invFreq.forEach((speed, i) => {
    if (speed > 0)
      dot(pen, x(i / n), y(clamp(Math.log10(speed), range[0], range[1])), colours[i], size, n <= 64);
    else {
      ctx.strokeStyle = colours[i];
      const still = frame.top + 6;
      line(ctx, x(i / n) - size, still - size, x(i / n) + size, still + size);
      line(ctx, x(i / n) - size, still + size, x(i / n) + size, still - size);
    }
  });
}

function handles(pen: Pen, points: readonly Point[], chosen: number, range: readonly [number, number]): void {
  const { ctx, palette } = pen;
  const { x, y } = laidOut(pen.width, pen.height, range);
  points.forEach((point, k) => {
    ctx.beginPath();
    ctx.arc(x(point.x), y(point.y), k === chosen ? 9 : 7, 0, TURN);
    ctx.fillStyle = palette.panel;
    ctx.globalAlpha = 0.55;
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.lineWidth = k === chosen ? 3 : 1.5;
    ctx.strokeStyle = k === chosen ? palette.accent : palette.ink;
    ctx.stroke();
  });
  ctx.lineWidth = 1;
}
