// The address follows the state, and the state follows the address: a link shows what was seen.

import { effect } from "@preact/signals";
import { fromFragment, keepWithin, type State, toFragment } from "./state";

const QUIET_MS = 300; // browsers refuse an address that changes hundreds of times in ten seconds

/** Tie both together; an address that says nothing is one that says `start`. Returns what unties them. */
export function followAddress(state: State, start: string): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let known = "";
  const write = () => {
    timer = undefined;
    if (location.hash !== known) return; // a link was followed: it is about to be read
    const wanted = `#${toFragment(state)}`;
    if (wanted !== (known || "#")) history.replaceState(null, "", wanted);
    known = location.hash;
  };
  const read = () => {
    known = location.hash;
    fromFragment(state, known || start);
  };
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
