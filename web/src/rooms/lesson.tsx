// The lesson as a room. Its text stands in the document, written by Python.

import { useEffect, useRef } from "preact/hooks";
import { open } from "../lesson/binding";
import type { Scene } from "../scene";
import { T } from "../words";
import type { Room } from "./room";

function Lesson({ scene }: { scene: Scene }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => open(scene, box.current!), [scene]);
  return <div ref={box} />;
}

export const LESSON: Room = {
  id: "lesson",
  name: T("Lesson", "课程"),
  Body: Lesson,
};
