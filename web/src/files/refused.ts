// Why a file can't be drawn: one sentence, which leaves on the page what was there.

import { T, type Text } from "../words";

export class Refused extends Error {
  constructor(readonly said: Text) {
    super(said.en);
  }
}

export function refuse(en: string, zh: string): never {
  throw new Refused(T(en, zh));
}
