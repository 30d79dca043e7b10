// The rooms of the page, in the order of the bar.

import { DESIGN } from "./design";
import { INSTRUMENT } from "./instrument";
import type { Room } from "./room";

export const ROOMS: readonly Room[] = [INSTRUMENT, DESIGN];

/** The room that the address names, or the first. */
export const roomOf = (id: string): Room => ROOMS.find((room) => room.id === id) ?? INSTRUMENT;
