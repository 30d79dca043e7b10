// What every view is given: the state, the scheme it makes, and numbers that several views share.

import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { kernelRange } from "./math/kernel";
import { schemeOf } from "./schemes/registry";
import type { Subject } from "./schemes/subject";
import { FIELDS } from "./state/fields";
import type { Model } from "./state/model";
import { createState, type State, type Values } from "./state/state";

/** Distances that curves and scores look at, one by one. */
export const MOST_DISTANCES = 65_536;

export interface Scene {
  readonly state: State;
  readonly model: Model | null;
  /** The text of the lesson, where the document has it. */
  readonly lesson: HTMLElement | null;
  readonly subject: ReadonlySignal<Subject>;
  /** Positions there are: the context, or fewer where a table ends. */
  readonly length: ReadonlySignal<number>;
  /** Cosine similarity at the distances 0 .. up to MOST_DISTANCES of the context; null without hands. */
  readonly curve: ReadonlySignal<Float64Array | null>;
  /** The position, and the one it is compared with, where the scheme has a row for them. */
  readonly at: ReadonlySignal<number>;
  readonly to: ReadonlySignal<number>;
  /** Where the hands are drawn: the position, and between positions while they sweep. */
  readonly moment: Signal<number>;
  readonly playing: Signal<boolean>;
}

export function createScene(model: Model | null, lesson: HTMLElement | null = null): Scene {
  const steps = [...(lesson?.querySelectorAll("article") ?? [])].map((step) => step.dataset.settings!);
  const state = createState(model ? beginning(model) : lesson ? { room: "lesson" } : {}, steps);
  const subject = computed(() => schemeOf(state, model).make(state, model));
  const length = computed(() => Math.min(state.context.value, subject.value.rows ?? state.context.value));
  const curve = computed(() => {
    const hands = subject.value.hands;
    return hands && kernelRange(hands.speeds, Math.min(state.context.value - 1, MOST_DISTANCES) + 1);
  });
  const at = computed(() => Math.min(state.pos.value, length.value - 1));
  const to = computed(() => Math.min(state.other.value, length.value - 1));
  return { state, model, lesson, subject, length, curve, at, to, moment: signal(0), playing: signal(false) };
}

// A page made for a model shows it first, at the length that it promises.
function beginning({ context }: Model): Partial<Values> {
  const length = context.promised ?? context.trained;
  return { scheme: "model", ...(length ? { context: FIELDS.context.parse(String(length)) } : {}) };
}
