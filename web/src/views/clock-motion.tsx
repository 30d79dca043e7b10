// The clock as a film: an SVG that turns by itself, or the frames of an APNG.

import type { Signal } from "@preact/signals";
import type { Pen } from "../draw/canvas";
import { apng } from "../export/apng";
import { png, type Shot, vector } from "../export/save";
import { wavelength } from "../math/spectrum";
import type { Hands } from "../schemes/subject";
import { number, same, say, T } from "../words";

const FRAMES = 12.5; // a second
const MOST = 400; // frames

export interface Film {
  /** Positions that pass, in so many seconds; then it begins again. */
  readonly positions: number;
  readonly seconds: number;
}

/** A hand as it points to twelve. */
export interface Hand {
  readonly x: number;
  readonly y: number;
  readonly length: number;
  readonly colour: string;
  /** Degrees a position. */
  readonly speed: number;
}

/** Each hand turns at its own constant speed, so it needs no frames. */
export function turningSvg(
  shot: Shot,
  hands: readonly Hand[],
  from: number,
  { positions, seconds }: Film,
): Blob {
  const turning = hands.map(({ x, y, length, colour, speed }) => {
    const at = (position: number) => `${(speed * position).toFixed(4)} ${x} ${y}`;
    const many = hands.length > 24;
    return `<g stroke="${colour}" fill="${colour}" transform="rotate(${at(from)})"><line x1="${x}" y1="${y}" x2="${x}" y2="${y - length}" stroke-width="${many ? 1 : 1.6}" stroke-opacity="${many ? Math.max(0.15, 24 / hands.length) : 1}"/><circle cx="${x}" cy="${y - length}" r="${many ? 2 : 4.5}" stroke="none"/><animateTransform attributeName="transform" type="rotate" from="${at(from)}" to="${at(from + positions)}" dur="${seconds}s" repeatCount="indefinite"/></g>`;
  });
  return vector(shot, turning.join(""));
}

export async function turningPng(
  shot: Shot,
  draw: (pen: Pen, position: number) => void,
  from: number,
  { positions, seconds }: Film,
): Promise<Blob> {
  const count = Math.max(2, Math.min(Math.round(seconds * FRAMES), MOST));
  const frames: Uint8Array[] = [];
  for (let frame = 0; frame < count; frame++) {
    const at = from + (positions * frame) / count;
    frames.push(png({ ...shot, draw: (pen) => draw(pen, at) }, 1));
    await new Promise((done) => setTimeout(done)); // the page stays alive meanwhile
  }
  return apng(frames, Math.round(seconds * 1000));
}

/** How much passes, and in how long. */
export function FilmChoice(props: { hands: Hands; film: Signal<Film>; side: string }) {
  const { hands, film, side } = props;
  const turn = (i: number) => Math.abs(wavelength(hands.invFreq[i]));
  const [fast, slow] = [turn(0), turn(hands.invFreq.length - 1)].map((each) =>
    Number.isFinite(each) ? each : 64,
  );
  const { positions, seconds } = film.value;
  const spans: [number, ReturnType<typeof same>][] = [
    [16, same(16)],
    [64, same(64)],
    [fast, T(`${number(fast, 4)}: one turn of the fastest hand`, `${number(fast, 4)}：最快的指针转一圈`)],
    [slow, T(`${number(slow, 4)}: one turn of the slowest hand`, `${number(slow, 4)}：最慢的指针转一圈`)],
  ];
  return (
    <>
      <label for={`film-positions${side}`}>{say(T("Animation: positions", "动画：位置数"))}</label>
      <select
        id={`film-positions${side}`}
        value={String(positions)}
        onChange={(event) => {
          film.value = { positions: Number(event.currentTarget.value), seconds };
        }}
      >
        {spans.map(([value, text]) => (
          <option key={text.en} value={String(value)}>
            {say(text)}
          </option>
        ))}
      </select>
      <label for={`film-seconds${side}`}>{say(T("seconds", "秒"))}</label>
      <input
        id={`film-seconds${side}`}
        type="number"
        min={1}
        max={60}
        value={seconds}
        onChange={(event) => {
          const wanted = Number(event.currentTarget.value) || 8;
          film.value = { positions, seconds: Math.max(1, Math.min(wanted, 60)) };
          event.currentTarget.value = String(film.value.seconds);
        }}
      />
    </>
  );
}
