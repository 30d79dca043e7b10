// The scheme that the reader bends: turned as RoPE turns, by speeds of one's own.

import { type Ladder, ladderInvFreq, pointsOf } from "../math/ladder";
import type { Layout } from "../math/rotation";
import { FIELDS } from "../state/fields";
import type { State } from "../state/state";
import { T } from "../words";
import { ofHands } from "./rope";
import { hands, type Subject } from "./subject";

/** What is designed, from the state. */
export const ladderOf = ({ bend, deep, layers, depth, line, moves }: State): Ladder => ({
  bend: pointsOf(bend.value) ?? pointsOf(FIELDS.bend.initial)!,
  deep: pointsOf(deep.value) ?? [],
  layers: layers.value,
  depth: depth.value,
  line: line.value,
  moves: moves.value,
});

export function design(dim: number, ladder: Ladder, layout: Layout): Subject {
  return {
    ...ofHands(hands(ladderInvFreq(dim, ladder)), dim, layout),
    title: T("Your own ladder", "自己的频率阶梯"),
    idea: T(
      "Hands with the speeds that you gave them: bend the ladder and see what becomes of distances.",
      "指针的快慢由你决定：弯一弯这架阶梯，看看距离会变成什么样。",
    ),
  };
}
