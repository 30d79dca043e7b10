// The instrument itself as a room.

import { Instrument } from "../instrument";
import { T } from "../words";
import type { Room } from "./room";

export const INSTRUMENT: Room = {
  id: "instrument",
  name: T("Instrument", "仪器"),
  lead: T(
    "One instrument for every positional encoding: choose a scheme, move the position, and every picture moves " +
      "with it. Nothing on this page asks the network for anything.",
    "一台仪器，看所有位置编码：选一个方案，移动位置，所有图一起动。本页不会向网络请求任何东西。",
  ),
  Body: Instrument,
};
