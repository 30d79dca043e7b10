// The hands on one dial, fastest inside: at position 0 all point to twelve, then they turn clockwise.

import { type Signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Live } from "../controls/live";
import { Table } from "../controls/table";
import { Canvas, type Pen } from "../draw/canvas";
import { handColours, palette } from "../draw/palette";
import { line } from "../draw/plot";
import type { Kind, Shot } from "../export/save";
import { TURN, turnAt } from "../math/exact";
import type { Scene } from "../scene";
import type { Hands } from "../schemes/subject";
import { fixed, number, say, T } from "../words";
import { type Film, FilmChoice } from "./clock-motion";
import { needsHands, type View } from "./view";

const FEW = 24; // up to here each hand has a ring of its own, a trail and a small dial
const TRAIL = 12; // positions that a trail looks back
const square = (width: number) => Math.min(width, 460);

function Clock({ scene }: { scene: Scene }) {
  const hands = scene.subject.value.hands!;
  const count = hands.invFreq.length;
  const film = useSignal<Film>({ positions: 64, seconds: 8 });
  const base = useMemo(() => (pen: Pen) => dial(pen, count), [count]);
  const over = useMemo(() => (pen: Pen) => tips(pen, scene, hands), [scene, hands]);
  const label = say(
    T(`Clock hands on one dial: ${count}, fastest inside.`, `同一个表盘上 ${count} 根指针，最快的在最里面。`),
  );
  return (
    <>
      <Canvas
        name="clock"
        height={square}
        label={label}
        base={base}
        over={over}
        kinds={films(scene, hands, film)}
        options={<FilmChoice hands={hands} film={film} side={scene.side} />}
      />
      <p class="read" aria-live="off">
        <Live
          text={() =>
            say(
              T(
                `Position ${number(scene.at.value)}: the fastest hand has made ${turns(hands, 0, scene.at.value)} turns, ` +
                  `the slowest ${turns(hands, count - 1, scene.at.value)}.`,
                `位置 ${number(scene.at.value)}：最快的指针转了 ${turns(hands, 0, scene.at.value)} 圈，` +
                  `最慢的转了 ${turns(hands, count - 1, scene.at.value)} 圈。`,
              ),
            )
          }
        />
      </p>
      <Table name="clock" caption={label} make={(by) => by.clock(scene)} />
    </>
  );
}

function films(scene: Scene, hands: Hands, { value: film }: Signal<Film>): Kind[] {
  const from = () => scene.at.value; // read when a file is made: the clock isn't made anew as it turns
  const count = hands.invFreq.length;
  const still = (shot: Shot) => ({ ...shot, draw: (pen: Pen) => dial(pen, count) });
  return [
    {
      label: say(T("animated SVG", "SVG 动画")),
      ending: "animated.svg",
      make: (shot, by) => {
        const clock = placed(shot);
        const colours = handColours(palette.value, count);
        const turning = Array.from(hands.invFreq, (speed, i) => ({
          x: clock.x,
          y: clock.y,
          length: radius(clock, i, count),
          colour: colours[i],
          speed: (speed * 360) / TURN,
        }));
        return by.turningSvg(still(shot), turning.reverse(), from(), film);
      },
    },
    {
      label: "APNG",
      ending: "animated.png",
      make: (shot, by) => {
        const draw = (pen: Pen, at: number) => {
          still(shot).draw(pen);
          tips(pen, scene, hands, at);
        };
        return by.turningPng(shot, draw, from(), film);
      },
    },
  ];
}

const turns = (hands: Hands, i: number, position: number) => fixed((hands.invFreq[i] * position) / TURN);

interface Dial {
  readonly x: number;
  readonly y: number;
  readonly inner: number;
  readonly outer: number;
}

function placed({ width, height }: { width: number; height: number }): Dial {
  const outer = Math.min(width, height) / 2 - 28;
  return { x: width / 2, y: height / 2, inner: outer * 0.12, outer };
}

const radius = ({ inner, outer }: Dial, i: number, count: number) =>
  count === 1 ? outer * 0.8 : inner + ((outer * 0.97 - inner) * i) / (count - 1);

function dial(pen: Pen, count: number): void {
  const { ctx, palette } = pen;
  const clock = placed(pen);
  ctx.strokeStyle = palette.rule;
  const rings = count <= FEW ? count : 8;
  for (let i = 0; i < rings; i++) {
    ctx.beginPath();
    ctx.arc(clock.x, clock.y, radius(clock, i, rings), 0, TURN);
    ctx.stroke();
  }
  ctx.strokeStyle = palette.quiet;
  ctx.fillStyle = palette.quiet;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (let hour = 0; hour < 12; hour++) {
    const [sin, cos] = [Math.sin((TURN * hour) / 12), Math.cos((TURN * hour) / 12)];
    const from = clock.outer + 5;
    const to = clock.outer + 12;
    ctx.beginPath();
    ctx.moveTo(clock.x + sin * from, clock.y - cos * from);
    ctx.lineTo(clock.x + sin * to, clock.y - cos * to);
    ctx.stroke();
    if (hour % 3 === 0) {
      ctx.fillText(["0", "¼", "½", "¾"][hour / 3], clock.x + sin * (to + 9), clock.y - cos * (to + 9));
    }
  }
}

function tips(pen: Pen, scene: Scene, hands: Hands, at = scene.moment.value): void {
  const { ctx, palette } = pen;
  const clock = placed(pen);
  const count = hands.invFreq.length;
  const compared = scene.to.value;
  const colours = handColours(palette, count);
  const few = count <= FEW;
  ctx.lineCap = "round";
  if (few) {
    for (let i = 0; i < count; i++)
      trail(pen, clock, radius(clock, i, count), hands.invFreq[i], at, colours[i]);
  }
  if (!few) {
    crowd(pen, clock, hands, at, colours);
    return;
  }
  for (let i = count - 1; i >= 0; i--) {
    const [x, y] = tip(clock, hands, i, at);
    ctx.strokeStyle = ctx.fillStyle = colours[i];
    ctx.lineWidth = 1.6;
    line(ctx, clock.x, clock.y, x, y);
    ctx.beginPath();
    ctx.arc(x, y, 4.5, 0, TURN);
    ctx.fill();
    if (compared === scene.at.value) continue;
    const [then, there] = tip(clock, hands, i, compared);
    ctx.beginPath();
    ctx.arc(then, there, 3.5, 0, TURN);
    ctx.lineWidth = 1.2;
    ctx.stroke();
  }
}

function tip(clock: Dial, hands: Hands, i: number, position: number): [number, number] {
  const angle = turnAt(hands.speeds, i, position) * TURN;
  const r = radius(clock, i, hands.invFreq.length);
  return [clock.x + r * Math.sin(angle), clock.y - r * Math.cos(angle)];
}

const BANDS = 16; // many hands are drawn in so many strokes, one a colour, not one by one

function crowd(pen: Pen, clock: Dial, hands: Hands, at: number, colours: readonly string[]): void {
  const { ctx } = pen;
  const count = hands.invFreq.length;
  const size = Math.max(1.4, 3 - count / 256);
  ctx.lineWidth = 1;
  ctx.lineCap = "butt";
  for (let band = BANDS - 1; band >= 0; band--) {
    const from = Math.floor((band * count) / BANDS);
    const to = Math.floor(((band + 1) * count) / BANDS);
    const ends = Array.from({ length: to - from }, (_, k) => tip(clock, hands, from + k, at));
    ctx.strokeStyle = ctx.fillStyle = colours[(from + to) >> 1];
    ctx.globalAlpha = Math.max(0.15, 24 / count);
    ctx.beginPath();
    for (const [x, y] of ends) {
      ctx.moveTo(clock.x, clock.y);
      ctx.lineTo(x, y);
    }
    ctx.stroke();
    ctx.globalAlpha = 1;
    ctx.beginPath();
    for (const [x, y] of ends) {
      ctx.moveTo(x + size, y);
      ctx.arc(x, y, size, 0, TURN);
    }
    ctx.fill();
  }
}

// Where the tip was over the last positions, fading; never more than a turn.
function trail(pen: Pen, clock: Dial, r: number, speed: number, at: number, colour: string): void {
  const { ctx } = pen;
  const swept = Math.min(Math.abs(speed) * Math.min(at, TRAIL), TURN * 0.97);
  if (swept <= 0) return;
  const end = ((speed * at) % TURN) - TURN / 4;
  const parts = Math.max(6, Math.ceil(swept * 10));
  ctx.strokeStyle = colour;
  ctx.lineCap = "butt";
  ctx.lineWidth = 3;
  for (let k = 0; k < parts; k++) {
    ctx.globalAlpha = 0.45 * (1 - k / parts) ** 1.5;
    ctx.beginPath();
    ctx.arc(clock.x, clock.y, r, end - (swept * (k + 1)) / parts, end - (swept * k) / parts);
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
  ctx.lineCap = "round";
}

export const clock: View = {
  id: "clock",
  name: T("Clock hands", "时钟指针"),
  lead: T(
    "One hand for every two dimensions, fastest inside. All start at twelve and turn clockwise. Hollow tips (of up to 24 hands) show the position compared with.",
    "每两维一根指针，最快的在最里面。全部从十二点出发，顺时针转；空心圆点（不超过 24 根时）是与之比较的位置。",
  ),
  lacks: needsHands,
  Body: Clock,
};
