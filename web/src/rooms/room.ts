// A room of the page: what the bar at its top leads to. All rooms share one scene, so a change is seen in each.

import type { ComponentChildren } from "preact";
import type { Scene } from "../scene";
import type { RoomId } from "../state/fields";
import type { Text } from "../words";

export interface Room {
  readonly id: RoomId;
  readonly name: Text;
  readonly lead?: Text;
  readonly Body: (given: { scene: Scene }) => ComponentChildren;
}
