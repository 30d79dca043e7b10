// Attention of a model as a room.

import { Explorer } from "../attention/explorer";
import { T } from "../words";
import type { Room } from "./room";

export const ATTENTION: Room = {
  id: "attention",
  name: T("Attention", "注意力"),
  lead: T(
    "Where each head of a model looks, token by token. Files stay in this page: nothing is sent anywhere.",
    "模型的每个注意力头看向哪里，逐个词元地看。文件只留在本页，不会发送到任何地方。",
  ),
  Body: Explorer,
};
