// Everything chosen on the page, as signals: views that read them redraw when they change.

import { batch, type Signal, signal } from "@preact/signals";
import { FIELDS, type FieldName, type Fields, OWN, type ValueOf } from "./fields";

export type Values = { readonly [Name in FieldName]: ValueOf<Fields[Name]> };

export type State = { readonly [Name in FieldName]: Signal<ValueOf<Fields[Name]>> } & {
  /** What a link needn't say: a page made for a model begins with the model. */
  readonly initial: Values;
  /** The second scheme's: the signals of `OWN` are its own, all others the same ones. */
  readonly b?: State;
};

const NAMES = Object.keys(FIELDS) as FieldName[];

const signalsOf = (names: readonly FieldName[], values: Values) =>
  Object.fromEntries(names.map((name) => [name, signal(values[name])]));

export function createState(given: Partial<Values> = {}): State {
  const usual = Object.fromEntries(NAMES.map((name) => [name, FIELDS[name].initial]));
  const initial = { ...usual, ...given } as Values;
  const second = { ...usual, scheme: "rope" } as Values;
  const signals = signalsOf(NAMES, initial);
  const b = { ...signals, ...signalsOf(OWN, second), initial: second };
  return { ...signals, initial, b } as unknown as State;
}

/** Take `text` for `name`, made a permitted value first; empty text is what the page began with. */
export function setText(state: State, name: FieldName, text: string): void {
  (state[name] as Signal<unknown>).value = text === "" ? state.initial[name] : FIELDS[name].parse(text);
}

/** What differs from the beginning, as the part of an address after `#`. */
export function toFragment(state: State): string {
  const said = (of: State, names: readonly FieldName[], before = "") =>
    names
      .filter((name) => of[name].value !== of.initial[name])
      .map((name) => `${before}${name}=${encodeURIComponent(String(of[name].value))}`);
  const second = state.two.value && state.b ? said(state.b, OWN, "b.") : [];
  return [...said(state, NAMES), ...second].join("&");
}

/** Take over a fragment: what it doesn't name goes back to the beginning, what it gets wrong to the default. */
export function fromFragment(state: State, fragment: string): void {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  batch(() => {
    for (const name of NAMES) setText(state, name, given.get(name) ?? "");
    for (const name of OWN) if (state.b) setText(state.b, name, given.get(`b.${name}`) ?? "");
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
