// The pictures of the lesson, and what its sentences may name.

import { angleAt, TURN } from "../math/exact";
import type { Scene } from "../scene";
import type { FieldName } from "../state/fields";
import { fixed, number } from "../words";
import { codePicture, codeValues } from "./codes";
import { dialValues, move, turning } from "./dials";
import { stripes, trained } from "./maps";
import type { Picture, Values } from "./picture";
import { shuffle } from "./shuffle";

export const PICTURES = {
  shuffle,
  codes: codePicture,
  move,
  turning,
  stripes,
  trained,
} satisfies Record<string, Picture>;

const VALUES: Values = {
  ...codeValues,
  ...dialValues,
  done: ({ state }) => String(state.done.value.toString(2).split("1").length - 1),
  /** How far the first hand is from twelve, degrees. */
  gap: ({ subject, at }) => {
    const { hands } = subject.value;
    return hands ? `${fixed((Math.abs(angleAt(hands.speeds, 0, at.value)) / TURN) * 360, 3)}°` : "–";
  },
  rowless: ({ state, length }) => (state.pos.value < length.value ? number(state.pos.value) : "∅"),
};

/** A value by its name: one of the above, one of a list by the choice made, or a setting. */
export function valued({ value, list }: DOMStringMap, scene: Scene): string {
  if (list) return list.split("|")[scene.state.mode.value] ?? "–";
  return VALUES[value!]?.(scene) ?? number(scene.state[value as FieldName].value as number);
}
