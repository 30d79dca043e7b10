// A page inside a notebook's widget has no address of its own: its state goes to and fro as messages instead.

import { effect, signal } from "@preact/signals";
import { fromFragment, keepWithin, type State, toFragment } from "./state";

/** The name that the widget gives its frame; a page in any other frame keeps to itself. */
const FRAME = "clockhands-widget";

export const hosted = window.parent !== window && window.name === FRAME;

/** Light or dark, as the notebook around it has it; empty where it doesn't tell. */
export const surrounding = signal("");

const QUIET_MS = 50; // a notebook writes every change down

/** Tie the state to the widget around the page; returns what unties them. */
export function followHost(state: State): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let told = "";
  const tell = () => {
    timer = undefined;
    const fragment = toFragment(state);
    if (fragment !== told) window.parent.postMessage({ clockhands: "state", state: fragment }, "*");
    told = fragment;
  };
  const hear = ({ source, data }: MessageEvent) => {
    if (source !== window.parent || typeof data?.clockhands !== "string") return;
    if (data.clockhands === "theme") surrounding.value = data.theme === "dark" ? "dark" : "light";
    if (data.clockhands !== "state" || typeof data.state !== "string") return;
    told = data.state;
    fromFragment(state, told);
  };
  const stop = effect(() => {
    keepWithin(state);
    toFragment(state); // read, so that any change is heard of
    timer ??= setTimeout(tell, QUIET_MS);
  });
  addEventListener("message", hear);
  window.parent.postMessage({ clockhands: "ready" }, "*");
  return () => {
    stop();
    clearTimeout(timer);
    removeEventListener("message", hear);
  };
}
