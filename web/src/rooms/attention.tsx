// Attention of a model as a room.

import { Bring } from "../files/drop";
import type { Scene } from "../scene";
import { T } from "../words";
import { apart } from "./apart";
import type { Room } from "./room";

const Explorer = apart((by) => by.Explorer);

function Attention({ scene }: { scene: Scene }) {
  return (
    <>
      <Bring scene={scene} />
      <Explorer scene={scene} />
    </>
  );
}

export const ATTENTION: Room = {
  id: "attention",
  name: T("Attention", "注意力"),
  lead: T(
    "Where each head of a model looks, token by token. Files stay in this page: nothing is sent anywhere.",
    "逐个词元地看：模型的每个注意力头看向哪里。文件只留在本页，不会发送到任何地方。",
  ),
  Body: Attention,
};
