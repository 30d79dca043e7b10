// The rooms of the page, in the order of the bar.

import type { Scene } from "../scene";
import { ATTENTION } from "./attention";
import { DESIGN } from "./design";
import { INSTRUMENT } from "./instrument";
import { LESSON } from "./lesson";
import type { Room } from "./room";

export const ROOMS: readonly Room[] = [LESSON, INSTRUMENT, DESIGN, ATTENTION];

/** Those that this page has: a lesson only where its text is. */
export const roomsOf = ({ lesson }: Scene): readonly Room[] =>
  ROOMS.filter(({ id }) => id !== "lesson" || lesson);

/** The room that the address names, or the first. */
export const roomOf = (scene: Scene): Room => {
  const rooms = roomsOf(scene);
  return rooms.find(({ id }) => id === scene.state.room.value) ?? rooms[0]!;
};
