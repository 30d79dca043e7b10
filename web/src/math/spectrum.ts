// How far each hand travels: clockhands.analysis.spectrum, restated.

import { TURN } from "./exact";

/** Tokens for one turn; infinite for a hand that stands still. */
export function wavelength(speed: number): number {
  return speed === 0 ? Number.POSITIVE_INFINITY : TURN / Math.abs(speed);
}

/** Turns within `length` tokens. */
export function turnsWithin(speed: number, length: number): number {
  return (Math.abs(speed) * length) / TURN;
}

/** How many hands make a full turn within `length` tokens. */
export function finished(invFreq: ArrayLike<number>, length: number): number {
  let count = 0;
  for (let i = 0; i < invFreq.length; i++) if (wavelength(invFreq[i]) <= length) count++;
  return count;
}

/**
 * The arc of each dial that a text of `length` tokens reaches and training never showed, as a share of a turn.
 *
 * In training a hand swept `trainedSpeed * trained` rad; now it sweeps `speed * length`. Past a full turn there
 * is nothing new to see.
 */
export function neverSeen(speed: number, length: number, trainedSpeed: number, trained: number): number {
  const seen = Math.min(turnsWithin(trainedSpeed, trained), 1);
  return Math.max(Math.min(turnsWithin(speed, length), 1) - seen, 0);
}
