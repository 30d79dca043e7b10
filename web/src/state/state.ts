// Everything chosen on the page, as signals: views that read them redraw when they change.

import { batch, type Signal, signal } from "@preact/signals";
import { FIELDS, type FieldName, type Fields, type ValueOf } from "./fields";

export type Values = { readonly [Name in FieldName]: ValueOf<Fields[Name]> };

export type State = { readonly [Name in FieldName]: Signal<ValueOf<Fields[Name]>> } & {
  /** What a link needn't say: a page made for a model begins with the model. */
  readonly initial: Values;
};

const NAMES = Object.keys(FIELDS) as FieldName[];

export function createState(given: Partial<Values> = {}): State {
  const usual = Object.fromEntries(NAMES.map((name) => [name, FIELDS[name].initial]));
  const initial = { ...usual, ...given } as Values;
  const signals = Object.fromEntries(NAMES.map((name) => [name, signal(initial[name])]));
  return { ...signals, initial } as unknown as State;
}

/** Take `text` for `name`, made a permitted value first; empty text is what the page began with. */
export function setText(state: State, name: FieldName, text: string): void {
  (state[name] as Signal<unknown>).value = text === "" ? state.initial[name] : FIELDS[name].parse(text);
}

/** What differs from the beginning, as the part of an address after `#`. */
export function toFragment(state: State): string {
  const said = NAMES.filter((name) => state[name].value !== state.initial[name]);
  return said.map((name) => `${name}=${encodeURIComponent(String(state[name].value))}`).join("&");
}

/** Take over a fragment: what it doesn't name goes back to the beginning, what it gets wrong to the default. */
export function fromFragment(state: State, fragment: string): void {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  batch(() => {
    for (const name of NAMES) setText(state, name, given.get(name) ?? "");
    keepWithin(state);
  });
}

/** Positions stay within the context, whatever was asked for. */
export function keepWithin(state: State): void {
  const last = state.context.value - 1;
  for (const name of ["pos", "other", "row", "column"] as const) {
    if (state[name].peek() > last) state[name].value = last;
  }
}
