// A picture in two layers: what stays while the position moves, and what moves with it.

import { effect, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type Kind, Save } from "../export/save";
import type { Arrays } from "../export/zip";
import { type Palette, palette } from "./palette";

export interface Pen {
  readonly ctx: CanvasRenderingContext2D;
  /** Of the picture, in CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly palette: Palette;
  /** It draws a file, which has no page around it. */
  readonly paper?: boolean;
}

interface Props {
  readonly name: string;
  /** Height in CSS pixels for a width. */
  readonly height: (width: number) => number;
  readonly base?: (pen: Pen) => void;
  readonly over?: (pen: Pen) => void;
  /** What a screen reader says of the picture. */
  readonly label: string;
  /** Part of a control, so that nothing is offered beside it. */
  readonly bare?: boolean;
  /** The numbers behind it, as it is shown. */
  readonly array?: () => Arrays;
  /** Files that it can be saved as, beside the usual ones. */
  readonly kinds?: readonly Kind[];
  /** What can be chosen for them. */
  readonly options?: ComponentChildren;
}

const MOST_DOTS = 2; // device pixels a CSS pixel: more costs time and shows nothing
export const FONT =
  '12px system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "clockhands han", sans-serif';

/** Changes when the page's own Chinese glyphs are ready: what was drawn before them is drawn again. */
const glyphs = signal(0);
document.fonts?.addEventListener("loadingdone", () => {
  glyphs.value += 1;
});

export function Canvas({ name, height, base, over, label, bare, array, kinds, options }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const lower = useRef<HTMLCanvasElement>(null);
  const upper = useRef<HTMLCanvasElement>(null);
  const size = useMemo(() => signal({ width: 0, height: 0, dots: 1 }), []);
  const seen = useMemo(() => signal(false), []);

  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () => {
      const width = Math.floor(element.clientWidth);
      const dots = Math.min(devicePixelRatio || 1, MOST_DOTS);
      const high = Math.floor(height(width));
      element.style.height = `${high}px`; // both layers lie on it
      size.value = { width, height: high, dots };
    };
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    const entered = new IntersectionObserver(
      (entries) => {
        seen.value = entries.at(-1)!.isIntersecting;
      },
      { rootMargin: "200px" },
    );
    entered.observe(element);
    measure();
    const printed = () => {
      seen.value = true; // on paper everything is in sight
    };
    addEventListener("beforeprint", printed);
    return () => {
      removeEventListener("beforeprint", printed);
      resized.disconnect();
      entered.disconnect();
    };
  }, [height]);

  useLayoutEffect(() => draws(lower.current, base, size, seen), [base]);
  useLayoutEffect(() => draws(upper.current, over, size, seen), [over]);

  const shot = () => ({
    ...size.value,
    draw: (pen: Pen) => {
      for (const draw of [base, over]) {
        pen.ctx.save();
        draw?.(pen);
        pen.ctx.restore();
      }
    },
  });
  return (
    <>
      <div class="canvas" ref={box} role="img" aria-label={label} data-canvas={name}>
        {base && <canvas ref={lower} data-layer="base" />}
        {over && <canvas ref={upper} data-layer="over" />}
      </div>
      {bare ? null : <Save name={name} shot={shot} array={array} kinds={kinds} options={options} />}
    </>
  );
}

type Size = { width: number; height: number; dots: number };

/**
 * Draw now and again after what the drawing read has changed, while the picture is in sight. Before it does, the views
 * are made anew, which may put another drawing here or take the canvas away: none meets a scheme it wasn't made for.
 */
function draws(
  canvas: HTMLCanvasElement | null,
  draw: ((pen: Pen) => void) | undefined,
  size: { value: Size },
  seen: { value: boolean },
): (() => void) | undefined {
  if (!draw || !canvas) return undefined;
  let forget: (() => void) | undefined;
  let gone = false;
  const again = () => {
    forget?.();
    if (gone) return;
    let drawn = false;
    forget = effect(() => {
      if (drawn) later(again);
      else paint(canvas, draw, size.value, seen.value);
      drawn = true;
    });
  };
  again();
  return () => {
    gone = true;
    forget?.();
  };
}

// Views are made anew by a microtask that is asked for in the same turn, maybe after this one.
const later = (work: () => void) => queueMicrotask(() => queueMicrotask(work));

function paint(
  canvas: HTMLCanvasElement,
  draw: (pen: Pen) => void,
  { width, height, dots }: Size,
  seen: boolean,
): void {
  glyphs.value;
  const ctx = canvas.getContext("2d");
  if (!ctx || !seen || width === 0 || height === 0) return;
  const [across, down] = [Math.round(width * dots), Math.round(height * dots)];
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across;
    canvas.height = down;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  ctx.save(); // a drawing leaves no pen behind that the next one would draw with
  ctx.setTransform(dots, 0, 0, dots, 0, 0);
  ctx.clearRect(0, 0, width, height);
  ctx.font = FONT;
  draw({ ctx, width, height, palette: palette.value });
  ctx.restore();
}
