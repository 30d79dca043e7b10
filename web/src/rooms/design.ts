// Design your own as a room.

import { T } from "../words";
import { apart } from "./apart";
import type { Room } from "./room";

export const DESIGN: Room = {
  id: "design",
  name: T("Design your own", "自己设计"),
  lead: T(
    "Bend the ladder of speeds and see at once what it is good for: how safely positions are told apart, where far " +
      "ones look near, how many hands ever finish a turn.",
    "弯一弯频率阶梯，马上看到效果：位置分得清不清，远处会不会看着像近处，有几根指针转得满一圈。",
  ),
  Body: apart((by) => by.Design),
};
