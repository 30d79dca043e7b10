// How long each hand takes for a turn, against the context; and the arcs that training never showed.

import { Table } from "../controls/table";
import { Canvas, type Pen } from "../draw/canvas";
import { handColours } from "../draw/palette";
import { axes, dot, frameOf, line, linear, logarithmic } from "../draw/plot";
import { finished, neverSeen, turnsWithin, wavelength } from "../math/spectrum";
import { type Scene, together } from "../scene";
import type { Hands } from "../schemes/subject";
import { fixed, number, percent, say, T } from "../words";
import { needsHands, type View } from "./view";

const tall = () => 290;
const arcsTall = () => 150;

function Spectrum({ scene }: { scene: Scene }) {
  const hands = scene.subject.value.hands!;
  const context = scene.state.context.value;
  const count = hands.invFreq.length;
  const done = finished(hands.invFreq, context);
  const label = say(
    T("Wavelength of each hand, and the context as a line.", "每根指针的波长，横线是上下文长度。"),
  );
  return (
    <>
      <Canvas
        name="spectrum"
        height={tall}
        label={label}
        base={(pen) => wavelengths(pen, scene, hands, context)}
      />
      <p class="read">
        {say(
          T(
            `${done} of ${count} hands finish a turn within ${number(context)} tokens.`,
            `${number(context)} 个词元之内，${count} 根指针中有 ${done} 根转满一圈。`,
          ),
        )}
      </p>
      <Table name="spectrum" caption={label} make={(by) => by.spectrum(scene)} />
      {hands.trained === null ? null : (
        <Arcs scene={scene} hands={hands} context={context} trained={hands.trained} />
      )}
    </>
  );
}

function wavelengths(pen: Pen, scene: Scene, hands: Hands, context: number): void {
  const { ctx, palette } = pen;
  const count = hands.invFreq.length;
  const all = together(scene)
    .flatMap(({ subject }) => subject.value.hands ?? [])
    .flatMap((each) => [...each.invFreq, ...each.plain])
    .map(wavelength)
    .filter(Number.isFinite);
  const shortest = Math.min(...all, context);
  const longest = Math.max(...all, context);
  const frame = frameOf(pen, 60, 36, 18);
  const y = logarithmic(shortest * 0.7, longest * 1.5, frame.bottom, frame.top);
  const x = linear(-0.5, count - 0.5, frame.left, frame.right, Math.min(count, 8));
  axes(
    pen,
    frame,
    whole(x),
    y,
    say(T("hand, fastest first", "指针，最快的在前")),
    say(T("tokens a turn", "每圈词元数")),
  );
  ctx.textAlign = "right";
  ctx.textBaseline = "bottom";
  level(pen, y(context), frame.left, frame.right, palette.accent, say(T("context", "上下文")));
  if (hands.trained !== null) {
    level(pen, y(hands.trained), frame.left, frame.right, palette.quiet, say(T("trained", "训练长度")));
  }
  const colours = handColours(palette, count);
  const size = Math.max(1.5, Math.min(5, 160 / count));
  const crowded = count > 64;
  for (let i = 0; i < count; i++) {
    const before = wavelength(hands.plain[i]);
    const now = wavelength(hands.invFreq[i]);
    if (before !== now && Number.isFinite(before)) {
      ctx.strokeStyle = palette.quiet;
      ctx.beginPath();
      ctx.arc(x(i), y(before), crowded ? 0.5 : size * 0.8, 0, 2 * Math.PI);
      ctx.stroke();
      if (Number.isFinite(now) && !crowded) line(ctx, x(i), y(before), x(i), y(now));
    }
    if (Number.isFinite(now)) dot(pen, x(i), y(now), colours[i], size, !crowded);
    else cross(ctx, x(i), frame.top + 6, size, colours[i]);
  }
}

// Ticks at whole hands alone.
const whole = <S extends ReturnType<typeof linear>>(scale: S): S =>
  Object.assign((value: number) => scale(value), scale, { ticks: scale.ticks.filter(Number.isInteger) }) as S;

function level(pen: Pen, y: number, left: number, right: number, colour: string, name: string): void {
  const { ctx } = pen;
  ctx.strokeStyle = colour;
  ctx.fillStyle = colour;
  ctx.setLineDash([6, 4]);
  line(ctx, left, y, right, y);
  ctx.setLineDash([]);
  ctx.textAlign = "left"; // where hands are fast, and their dots far below
  ctx.textBaseline = "bottom";
  ctx.fillText(name, left + 4, y - 2);
}

function cross(ctx: CanvasRenderingContext2D, x: number, y: number, size: number, colour: string): void {
  ctx.strokeStyle = colour;
  line(ctx, x - size, y - size, x + size, y + size);
  line(ctx, x - size, y + size, x + size, y - size);
}

interface Past {
  readonly scene: Scene;
  readonly hands: Hands;
  readonly context: number;
  readonly trained: number;
}

function Arcs({ scene, hands, context, trained }: Past) {
  const shares = Array.from(hands.invFreq, (speed, i) => neverSeen(speed, context, hands.plain[i], trained));
  const strange = shares.filter((share) => share > 1e-9).length;
  const worst = Math.max(...shares);
  const title = say(T("Arcs that training never showed", "训练中从未见过的弧段"));
  return (
    <>
      <h3>{title}</h3>
      <Canvas name="arcs" height={arcsTall} label={title} base={(pen) => arcs(pen, hands, shares, trained)} />
      <p class="read">
        {say(
          strange === 0
            ? T(
                `No hand points anywhere that it had not within ${number(trained)} tokens. `,
                `没有指针会指到 ${number(trained)} 个词元内没到过的方向。`,
              )
            : T(
                `${strange} of ${shares.length} hands point where they never had within ${number(trained)} tokens, at worst over ` +
                  `${percent(worst)} of a turn. `,
                `${shares.length} 根指针中有 ${strange} 根会指到 ${number(trained)} 个词元内没到过的方向，` +
                  `最多的一根多出 ${percent(worst)} 圈。`,
              ),
        )}
        {say(
          T(
            `Scores are multiplied by ${fixed(hands.attentionFactor ** 2, 3)}.`,
            `注意力得分乘以 ${fixed(hands.attentionFactor ** 2, 3)}。`,
          ),
        )}
      </p>
      <Table name="arcs" caption={title} make={(by) => by.arcs(scene)} />
    </>
  );
}

// Each hand as a bar of one turn: seen in training, new now, not reached.
function arcs(pen: Pen, hands: Hands, shares: readonly number[], trained: number): void {
  const { ctx, palette } = pen;
  const count = shares.length;
  const frame = frameOf(pen, 60, 20, 18);
  const step = (frame.right - frame.left) / count;
  const y = linear(0, 1, frame.bottom, frame.top);
  const colours = handColours(palette, count);
  ctx.fillStyle = palette.quiet;
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  for (const k of [0, 0.5, 1]) ctx.fillText(["0", "½", "1"][2 * k], frame.left - 6, y(k));
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  ctx.fillText(say(T("turn", "圈")), 2, 0);
  for (let i = 0; i < count; i++) {
    const seen = Math.min(turnsWithin(hands.plain[i], trained), 1);
    const left = frame.left + i * step;
    const wide = Math.max(step - (step > 4 ? 1 : 0), 0.5);
    ctx.fillStyle = palette.rule;
    ctx.globalAlpha = 0.5;
    ctx.fillRect(left, y(1), wide, y(0) - y(1));
    ctx.globalAlpha = 1;
    ctx.fillStyle = colours[i];
    ctx.fillRect(left, y(seen), wide, y(0) - y(seen));
    ctx.fillStyle = palette.accent;
    ctx.fillRect(left, y(seen + shares[i]), wide, y(seen) - y(seen + shares[i]));
  }
  ctx.fillStyle = palette.quiet;
  ctx.textAlign = "right";
  ctx.fillText(
    say(T("seen in training; in the warning colour, new", "训练中见过的部分；警示色是新增的部分")),
    frame.right,
    frame.bottom + 5,
  );
}

export const spectrum: View = {
  id: "spectrum",
  name: T("Wavelengths and the context", "波长与上下文"),
  lead: T(
    "A hand above the dashed line never finishes a turn in this context: it tells far positions apart, but most of its dial is never seen. A scaling moves hands up, from hollow to filled.",
    "虚线以上的指针在这个上下文里转不满一圈：它能分清很远的位置，但表盘的大部分从没见过。缩放把指针往上移：从空心点移到实心点。",
  ),
  lacks: needsHands,
  Body: Spectrum,
};
