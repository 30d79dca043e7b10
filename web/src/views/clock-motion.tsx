// The clock as a film: what can be chosen of it.

import type { Signal } from "@preact/signals";
import { wavelength } from "../math/spectrum";
import type { Hands } from "../schemes/subject";
import { number, same, say, T } from "../words";

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
      <span class="speed">
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
      </span>
      <span class="speed">
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
      </span>
    </>
  );
}
