// What a view is: one file each, listed in the registry.

import type { FunctionComponent } from "preact";
import type { Scene } from "../scene";
import type { Subject } from "../schemes/subject";
import { T, type Text } from "../words";

export interface View {
  readonly id: string;
  readonly name: Text;
  /** What to look for, in one or two sentences. */
  readonly lead: Text;
  /** Why a scheme has nothing to show here; null where it has. */
  readonly lacks: (subject: Subject) => Text | null;
  /** It speaks of positions alone, so what must be said of the scheme's numbers needn't be said here. */
  readonly ofPositions?: boolean;
  /** Few schemes have it: of others it isn't said to be missing. */
  readonly rare?: boolean;
  readonly Body: FunctionComponent<{ scene: Scene }>;
}

export const needsHands = (subject: Subject): Text | null =>
  subject.hands ? null : T("This scheme has no clock hands.", "这个方案没有指针。");
