// What every view is given: the state, the scheme it makes, and numbers that several views share.

import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Run } from "./attention/read";
import type { Said } from "./files/drop";
import type { Queries } from "./files/queries";
import { kernelRange } from "./math/kernel";
import { ALL, type Scheme, schemeOf } from "./schemes/registry";
import type { Subject } from "./schemes/subject";
import { FIELDS } from "./state/fields";
import type { Model } from "./state/model";
import { createState, type State, type Values } from "./state/state";

/** Distances that curves and scores look at, one by one. */
export const MOST_DISTANCES = 65_536;

export interface Scene {
  readonly state: State;
  /** A model that the page was made with, or that was dropped on it. */
  readonly model: Signal<Model | null>;
  /** A run of attention that was dropped. */
  readonly run: Signal<Run | null>;
  /** Queries and keys that were dropped. */
  readonly queries: Signal<Queries | null>;
  /** What was said of the last file. */
  readonly brought: Signal<Said | null>;
  /** The text of the lesson, where the document has it. */
  readonly lesson: HTMLElement | null;
  readonly subject: ReadonlySignal<Subject>;
  /** Positions there are: the context, or fewer where a table ends; those that both schemes have. */
  readonly length: ReadonlySignal<number>;
  /** Cosine similarity at the distances 0 .. up to MOST_DISTANCES of the context; null without hands. */
  readonly curve: ReadonlySignal<Float64Array | null>;
  /** The position, and the one it is compared with, where the scheme has a row for them. */
  readonly at: ReadonlySignal<number>;
  readonly to: ReadonlySignal<number>;
  /** Where the hands are drawn: the position, and between positions while they sweep. */
  readonly moment: Signal<number>;
  readonly playing: Signal<boolean>;
  /** What tells names of elements of the second scheme from those of the first. */
  readonly side: "" | "-b";
  /** The other of two schemes that are shown side by side. */
  readonly beside: ReadonlySignal<Scene | null>;
}

/** The first scheme's scene; the second's stands `beside` it. */
export function createScene(model: Model | null, lesson: HTMLElement | null = null): Scene {
  const steps = [...(lesson?.querySelectorAll("article") ?? [])].map((step) => step.dataset.settings!);
  const state = createState(model ? beginning(model) : lesson ? { room: "lesson" } : {}, steps);
  const shared = { moment: signal(0), playing: signal(false), lesson, run: signal<Run | null>(null) };
  const first: Scene = sceneOf(state, "", model, shared, () => second);
  const second: Scene = sceneOf(state.b!, "-b", model, shared, () => first);
  return first;
}

function sceneOf(
  state: State,
  side: Scene["side"],
  given: Model | null,
  { moment, playing, lesson, run }: Pick<Scene, "moment" | "playing" | "lesson" | "run">,
  other: () => Scene | null,
  scheme?: Scheme,
): Scene {
  const [model, queries] = [signal(given), signal<Queries | null>(null)];
  const brought = signal<Said | null>(null);
  const subject = computed(() => {
    const held = { model: model.value, queries: queries.value };
    return (scheme ?? schemeOf(state, held)).make(state, held);
  });
  const beside = computed(() => (state.two.value ? other() : null));
  const length = computed(() => {
    const rows = [subject.value.rows, beside.value?.subject.value.rows];
    return Math.min(state.context.value, ...rows.map((each) => each ?? Number.POSITIVE_INFINITY));
  });
  const curve = computed(() => {
    const hands = subject.value.hands;
    return hands && kernelRange(hands.speeds, Math.min(state.context.value - 1, MOST_DISTANCES) + 1);
  });
  const at = computed(() => Math.min(state.pos.value, length.value - 1));
  const to = computed(() => Math.min(state.other.value, length.value - 1));
  const held = { state, model, lesson, run, queries, brought };
  return { ...held, subject, length, curve, at, to, side, beside, moment, playing };
}

/** The same state seen as one's own ladder, whatever scheme the instrument shows. */
export const designed = (scene: Scene): Scene =>
  sceneOf(
    scene.state,
    "",
    null,
    scene,
    () => null,
    ALL.find(({ id }) => id === "design"),
  );

/** This scheme's scene, and the other's where two are shown: pictures of both have the same scales. */
export const together = (scene: Scene): readonly Scene[] =>
  scene.beside.value ? [scene, scene.beside.value] : [scene];

// A page made for a model shows it first, at the length that it promises.
function beginning({ context }: Model): Partial<Values> {
  const length = context.promised ?? context.trained;
  return { scheme: "model", ...(length ? { context: FIELDS.context.parse(String(length)) } : {}) };
}
