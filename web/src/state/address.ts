// The address follows the state, and the state follows the address: a link shows what was seen.

import { effect } from "@preact/signals";
import { fromFragment, keepWithin, type State, toFragment } from "./state";

const QUIET_MS = 300; // browsers refuse an address that changes hundreds of times in ten seconds

/** Tie both together; an address that says nothing is one that says `start`. Returns what unties them. */
export function followAddress(state: State, start: string): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = () => {
    timer = undefined;
    const wanted = `#${toFragment(state)}`;
    if (wanted !== (location.hash || "#")) history.replaceState(null, "", wanted);
  };
  const read = () => fromFragment(state, location.hash || start);
  read();
  const stop = effect(() => {
    keepWithin(state);
    toFragment(state); // read, so that any change is heard of
    timer ??= setTimeout(write, QUIET_MS);
  });
  addEventListener("hashchange", read);
  return () => {
    stop();
    clearTimeout(timer);
    removeEventListener("hashchange", read);
  };
}
