// The position that all views share: a slider, a number, play and pause, a speed; and the other position.

import { batch, effect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Scene, together } from "../scene";
import { setText } from "../state/state";
import { number, say, T } from "../words";

const PLAY = T("Play", "播放");
const PAUSE = T("Pause", "暂停");
const POSITION = T("Position", "位置");
const OTHER = T("Compared with", "与之比较");
const SPEED = T("Speed", "速度");
const SPEEDS = [0.5, 1, 2, 5, 20, 100];

export const calmly = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function Transport({ scene }: { scene: Scene }) {
  useEffect(() => plays(scene), [scene]);
  const { state, playing, length } = scene;
  const compares = together(scene).some(({ subject: { value } }) => value.hands || value.bias || value.table);
  return (
    <section class="transport" aria-label={say(POSITION)}>
      <button
        type="button"
        class="play"
        data-control="play"
        onClick={() => {
          playing.value = !playing.value;
        }}
      >
        <span aria-hidden="true">{playing.value ? "❚❚" : "▶"}</span> {say(playing.value ? PAUSE : PLAY)}
      </button>
      <Place scene={scene} name="pos" label={say(POSITION)} last={length.value - 1} />
      {compares ? <Place scene={scene} name="other" label={say(OTHER)} last={length.value - 1} /> : null}
      <span class="speed">
        <label for="set-speed">{say(SPEED)}</label>
        <select
          id="set-speed"
          value={String(state.speed.value)}
          onChange={(event) => setText(state, "speed", event.currentTarget.value)}
        >
          {[...new Set([...SPEEDS, state.speed.value])]
            .sort((a, b) => a - b)
            .map((each) => (
              <option key={each} value={String(each)}>
                {say(T(`${each} a second`, `每秒 ${each} 步`))}
              </option>
            ))}
        </select>
      </span>
    </section>
  );
}

function Place(props: { scene: Scene; name: "pos" | "other"; label: string; last: number }) {
  const { scene, name, label, last } = props;
  const value = Math.min(scene.state[name].value, last);
  const take = (text: string) => {
    batch(() => {
      setText(scene.state, name, text);
      if (scene.state[name].value > last) scene.state[name].value = last;
    });
  };
  return (
    <span class={`place ${name}`}>
      <label for={`slide-${name}`}>{label}</label>
      <input
        id={`slide-${name}`}
        type="range"
        aria-label={label} // in a narrow page the label beside it is not shown
        min={0}
        max={last}
        value={value}
        aria-valuetext={say(
          T(
            `position ${number(value)} of ${number(last)}`,
            `位置 ${number(value)}，最后一个是 ${number(last)}`,
          ),
        )}
        onInput={(event) => take(event.currentTarget.value)}
      />
      <input
        type="number"
        aria-label={label}
        data-control={name}
        min={0}
        max={last}
        value={value}
        onChange={(event) => take(event.currentTarget.value)}
      />
    </span>
  );
}

/** Move the position while playing; the hands sweep between positions unless the reader wants calm. */
export function plays(scene: Scene): () => void {
  const { state, playing, moment, length } = scene;
  let frame = 0;
  const stopFollowing = effect(() => {
    const at = scene.at.value;
    if (!playing.peek()) moment.value = at;
  });
  const stopPlaying = effect(() => {
    cancelAnimationFrame(frame);
    if (!playing.value) {
      moment.value = scene.at.peek();
      return;
    }
    let last = performance.now();
    let at = state.pos.peek();
    let shown = at;
    const step = (now: number) => {
      const speed = state.speed.peek();
      if (state.pos.peek() !== shown) at = state.pos.peek(); // moved by hand meanwhile
      at += (Math.min(now - last, 250) / 1000) * speed; // a page that slept does not leap
      last = now;
      const end = length.peek();
      if (at >= end) at %= end;
      shown = Math.floor(at);
      batch(() => {
        state.pos.value = shown;
        moment.value = calmly() || speed > 12 ? shown : sweeping(at);
      });
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
  });
  const hidden = () => {
    if (document.hidden) playing.value = false;
  };
  document.addEventListener("visibilitychange", hidden);
  return () => {
    stopFollowing();
    stopPlaying();
    cancelAnimationFrame(frame);
    document.removeEventListener("visibilitychange", hidden);
  };
}

// Hands rest at a position and hurry to the next: positions are whole numbers.
function sweeping(at: number): number {
  const whole = Math.floor(at);
  const rest = 0.6;
  const along = Math.max((at - whole - rest) / (1 - rest), 0);
  return whole + along * along * (3 - 2 * along);
}
