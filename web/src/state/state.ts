// Everything chosen on the page, as signals: views that read them redraw when they change.

import { batch, type Signal, signal } from "@preact/signals";
import { FIELDS, type FieldName, type Fields, OWN, type ValueOf } from "./fields";

export type Values = { readonly [Name in FieldName]: ValueOf<Fields[Name]> };

export type State = { readonly [Name in FieldName]: Signal<ValueOf<Fields[Name]>> } & {
  /** What a link needn't say: a page made for a model begins with the model. */
  readonly initial: Values;
  /** The second scheme's: the signals of `OWN` are its own, all others the same ones. */
  readonly b?: State;
  /** What each step of the lesson begins with. */
  readonly steps: readonly Values[];
};

const NAMES = Object.keys(FIELDS) as FieldName[];

const signalsOf = (names: readonly FieldName[], values: Values) =>
  Object.fromEntries(names.map((name) => [name, signal(values[name])]));

/** What a link may name and still open where the page opens; any other setting opens the instrument. */
export const QUIET: readonly FieldName[] = ["step", "done", "lang", "theme"];

export function createState(given: Partial<Values> = {}, steps: readonly string[] = []): State {
  const usual = Object.fromEntries(NAMES.map((name) => [name, FIELDS[name].initial]));
  const initial = { ...usual, ...given } as Values;
  const second = { ...usual, scheme: "rope" } as Values;
  const signals = signalsOf(NAMES, initial);
  const begun = steps.map((text) => {
    const said = [...new URLSearchParams(text)] as [FieldName, string][];
    return {
      ...initial,
      ...Object.fromEntries(said.map(([name, value]) => [name, FIELDS[name].parse(value)])),
    };
  });
  const b = { ...signals, ...signalsOf(OWN, second), initial: second, steps: [] };
  return { ...signals, initial, b, steps: begun } as unknown as State;
}

const beginning = (state: State): Values =>
  (state.room.value === "lesson" && state.steps[state.step.value - 1]) || state.initial;

const usualRoom = (state: State, said: readonly FieldName[]) =>
  said.every((name) => QUIET.includes(name)) ? state.initial.room : "instrument";

/** Take `text` for `name`, made a permitted value first; empty text is what the page began with. */
export function setText(state: State, name: FieldName, text: string): void {
  (state[name] as Signal<unknown>).value = text === "" ? beginning(state)[name] : FIELDS[name].parse(text);
}

/** What differs from the beginning, as the part of an address after `#`. */
export function toFragment(state: State): string {
  const begun = beginning(state);
  const said = (of: State, names: readonly FieldName[], before = "") =>
    names.map((name) => `${before}${name}=${encodeURIComponent(String(of[name].value))}`);
  const own = NAMES.filter((name) => name !== "room" && state[name].value !== begun[name]);
  if (state.room.value !== usualRoom(state, own)) own.unshift("room");
  const { b } = state;
  const second = state.two.value && b ? OWN.filter((name) => b[name].value !== b.initial[name]) : [];
  return [...said(state, own), ...(b ? said(b, second, "b.") : [])].join("&");
}

/** Take over a fragment: what it doesn't name goes back to the beginning, what it gets wrong to the default. */
export function fromFragment(state: State, fragment: string): void {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const room =
    given.get("room") ??
    usualRoom(
      state,
      NAMES.filter((name) => given.has(name)),
    );
  batch(() => {
    for (const name of NAMES) setText(state, name, name === "room" ? room : (given.get(name) ?? ""));
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
