// Why a file can't be drawn: one sentence, which leaves on the page what was there.

import { fill, type Text } from "../text";

export class Refused extends Error {
  constructor(readonly said: Text) {
    super(said.en);
  }
}

/** Throw the sentence with its gaps {0}, {1} … filled. */
export function refuse(text: Text, ...gaps: readonly (string | number)[]): never {
  throw new Refused(fill(text, ...gaps));
}
