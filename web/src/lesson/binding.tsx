// Brings the lesson, which stands in the document as HTML, to life: its controls, pictures and pages.

import { batch, effect, untracked } from "@preact/signals";
import { render } from "preact";
import { useMemo } from "preact/hooks";
import { Table } from "../controls/table";
import { plays } from "../controls/transport";
import { Canvas, type Pen } from "../draw/canvas";
import type { Scene } from "../scene";
import { FIELDS, type FieldName } from "../state/fields";
import { fromFragment, QUIET, setText } from "../state/state";
import { VIEWS } from "../views/registry";
import { language, say } from "../words";
import type { Picture } from "./picture";
import { PICTURES, valued } from "./values";

/** Begin a step as it is written, whatever was set before. */
export function begin({ state, playing }: Scene, step: number): void {
  playing.value = false;
  const kept = QUIET.map((name) => `${name}=${name === "step" ? step : state[name].value}`);
  fromFragment(state, `room=lesson&${kept.join("&")}`);
}

/** `pos=+5&other=0`, as a button has it. */
const pairs = (settings: string) => settings.split("&").map((each) => each.split("=") as [FieldName, string]);

/** Take settings over; a plus adds to what is set. */
function apply({ state }: Scene, settings: string): void {
  batch(() => {
    for (const [name, value] of pairs(settings)) {
      setText(state, name, value[0] === "+" ? `${Number(state[name].value) + Number(value)}` : value);
    }
  });
}

function Shown({ place, scene }: { place: HTMLElement; scene: Scene }) {
  const name = place.dataset.picture as keyof typeof PICTURES;
  const drawn: Picture | undefined = PICTURES[name];
  const data = place.dataset.rows!;
  const draw = useMemo(() => (pen: Pen) => drawn?.draw(pen, scene, data), [drawn, scene, data]);
  if (drawn) {
    const label = place.dataset[language.value]!;
    return (
      <>
        <Canvas name={name} height={drawn.height} label={label} base={draw} />
        <Table name={name} caption={label} make={(by) => by.LESSON[name](scene, data)} />
      </>
    );
  }
  const view = VIEWS.find(({ id }) => id === name)!;
  const subject = scene.subject.value;
  const lacks = view.lacks(subject);
  return (
    <section class="view" aria-label={say(view.name)}>
      {lacks ? <p>{say(lacks)}</p> : <view.Body scene={scene} />}
      {subject.caution && !view.ofPositions && !place.nextSibling ? (
        <p class="caution">{say(subject.caution)}</p>
      ) : null}
    </section>
  );
}

/** Open the lesson in `box`; returns what closes it. */
export function open(scene: Scene, box: HTMLElement): () => void {
  const { state, playing } = scene;
  const text = scene.lesson!;
  const all = (within: Element, which: string) => within.querySelectorAll<HTMLElement>(which);
  const articles = all(text, "article");
  for (const each of all(text, "[data-live]")) each.hidden = false;
  box.append(text);

  const go = (step: number) => {
    const article = articles[step - 1];
    if (!article) return;
    begin(scene, step);
    article.querySelector("h2")!.focus({ preventScroll: true });
    box.scrollIntoView();
  };
  const heard = new AbortController();
  const hear = (type: string, on: EventTarget, act: (at: HTMLElement, event: Event) => void) =>
    on.addEventListener(type, (event) => act(event.target as HTMLElement, event), {
      capture: true,
      signal: heard.signal,
    });
  hear("click", text, (at, event) => {
    const pressed = at.closest<HTMLElement>("a, button");
    const { set, to, by, play } = pressed?.dataset ?? {};
    if (pressed?.matches("a")) {
      event.preventDefault();
      go(Number(pressed.getAttribute("href")!.slice(6)));
    } else if (set) apply(scene, set);
    else if (to) setText(state, "room", to);
    else if (by) go(state.step.value + Number(by));
    else if (play) playing.value = !playing.value;
  });
  hear("input", text, (at) => {
    const { field } = at.dataset;
    if (field) setText(state, field as FieldName, (at as HTMLInputElement).value);
  });
  hear("toggle", text, (at) => {
    const { set, right } = at.dataset;
    if (!(at as HTMLDetailsElement).open) return;
    if (set) {
      playing.value = false; // the picture shows the answer, and stays there
      apply(scene, set);
    }
    if (right) state.done.value |= 2 ** (state.step.value - 1);
  });
  hear("keydown", document, (at, event) => {
    const { key, altKey, ctrlKey, metaKey, shiftKey } = event as KeyboardEvent;
    const by = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
    if (!by || altKey || ctrlKey || metaKey || shiftKey || at.closest("input, select, [tabindex='0']"))
      return;
    event.preventDefault();
    go(state.step.value + by);
  });

  const turn = effect(() => {
    const article = articles[state.step.value - 1]!;
    for (const each of articles) each.hidden = each !== article;
    const places = all(article, "[data-picture]");
    untracked(() => {
      for (const place of places) render(<Shown place={place} scene={scene} />, place);
    });
    return () => {
      for (const place of places) render(null, place);
    };
  });
  const fill = effect(() => {
    const step = state.step.value;
    const room = articles[step - 1]!.dataset.room; // where the step goes on
    for (const each of all(text, "[data-to]")) each.hidden = each.dataset.to !== room;
    all(text, "nav a").forEach((each, k) => {
      each.ariaCurrent = step === k + 1 ? "step" : null;
      each.classList.toggle("done", !!(state.done.value & (2 ** k)));
    });
    for (const each of all(text, "[data-field], [data-set], [data-value], [data-by], [data-play]")) {
      const { field, set, value, play, by } = each.dataset;
      if (each.closest("article[hidden]")) continue;
      if (field) (each as HTMLInputElement).value = String(state[field as FieldName].value);
      else if (value) each.textContent = valued(each.dataset, scene);
      else if (play) each.dataset.play = playing.value ? "on" : "off";
      else if (by) (each as HTMLButtonElement).disabled = !articles[step - 1 + Number(by)];
      else if (set && each.matches("button") && !set.includes("+")) {
        const same = pairs(set).every(([name, said]) => state[name].value === FIELDS[name].parse(said));
        each.ariaPressed = String(same);
      }
    }
  });
  const motion = plays(scene);
  return () => {
    heard.abort();
    for (const stop of [turn, fill, motion]) stop();
    playing.value = false;
    text.remove();
  };
}
