// A room whose script lies apart: it is there once that is unpacked.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Later, later } from "../files/apart";
import type { Room } from "./room";

export const apart =
  (of: (by: Later) => Room["Body"]): Room["Body"] =>
  ({ scene }) => {
    const part = useSignal<Later | null>(null);
    useEffect(() => {
      later().then((found) => {
        part.value = found;
      });
    }, []);
    const Body = part.value && of(part.value);
    return Body && <Body scene={scene} />;
  };
