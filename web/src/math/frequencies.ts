// How fast each hand turns, rad / token, fastest first: clockhands.formulas.frequencies, restated.

import { TURN } from "./exact";

export type Exponent = "2i/d" | "i/(d/2-1)";

/** `base ** (-2i / dim)`, or with the slowest exactly at 1/base; an odd dim has one more sine than cosines. */
export function sinusoidInvFreq(dim: number, base: number, exponent: Exponent = "2i/d"): Float64Array {
  const pairs = Math.floor((dim + 1) / 2);
  const steps = exponent === "2i/d" ? dim / 2 : Math.max(pairs - 1, 1);
  return Float64Array.from({ length: pairs }, (_, i) => base ** -(i / steps));
}

/** RoPE's own ladder. */
export function defaultInvFreq(rotaryDim: number, base: number): Float64Array {
  return sinusoidInvFreq(rotaryDim, base);
}

/** Every hand `factor` times slower: position interpolation, Chen et al. 2023. */
export function linearInvFreq(rotaryDim: number, base: number, factor: number): Float64Array {
  return defaultInvFreq(rotaryDim, base).map((speed) => speed / factor);
}

/** The base under which the slowest hand is `factor` times slower and the fastest unchanged. */
export function ntkTheta(rotaryDim: number, base: number, factor: number): number {
  return rotaryDim > 2 ? base * factor ** (rotaryDim / (rotaryDim - 2)) : base;
}

export function ntkInvFreq(rotaryDim: number, base: number, factor: number): Float64Array {
  return defaultInvFreq(rotaryDim, ntkTheta(rotaryDim, base, factor));
}

/** NTK whose factor grows with the text: 1 up to the trained length, then in a straight line. */
export function dynamicNtkInvFreq(
  rotaryDim: number,
  base: number,
  factor: number,
  trained: number,
  length: number,
): Float64Array {
  const grown = (factor * Math.max(length, trained)) / trained - (factor - 1);
  return ntkInvFreq(rotaryDim, base, grown);
}

/** Hands that turn often in the trained length stay, those that turn seldom slow down: Llama 3.1 with 1, 4. */
export function byPartsInvFreq(
  rotaryDim: number,
  base: number,
  factor: number,
  trained: number,
  slow: number,
  fast: number,
): Float64Array {
  return defaultInvFreq(rotaryDim, base).map((speed) => {
    const turns = speed * (trained / TURN);
    const kept = clip((turns - slow) / (fast - slow));
    return ((1 - kept) * speed) / factor + kept * speed;
  });
}

/** The fastest share of a whole head's hands; the others stand still: p-RoPE, Barbero et al. 2024. */
export function proportionalInvFreq(headDim: number, base: number, share: number): Float64Array {
  const moving = Math.floor(Math.floor(share * headDim) / 2);
  return defaultInvFreq(headDim, base).map((speed, i) => (i < moving ? speed : 0));
}

/** Hand i divided by the i-th of the list that the length asks for: LongRoPE, Ding et al. 2024. */
export function longropeInvFreq(
  rotaryDim: number,
  base: number,
  shortFactor: readonly number[],
  longFactor: readonly number[],
  trained: number,
  length: number,
): Float64Array {
  const divisors = length > trained ? longFactor : shortFactor;
  return defaultInvFreq(rotaryDim, base).map((speed, i) => speed / divisors[i]);
}

export function longropeAttentionFactor(factor: number, trained: number): number {
  return factor <= 1 ? 1 : Math.sqrt(1 + Math.log(factor) / Math.log(trained));
}

export interface YarnSettings {
  readonly factor: number;
  readonly trained: number;
  readonly betaFast: number;
  readonly betaSlow: number;
  readonly truncate: boolean;
}

/** The pairs between which hands go from unchanged to slowed, as real numbers. */
export function yarnRamp(rotaryDim: number, base: number, yarn: YarnSettings): [number, number] {
  const pairTurning = (turns: number) =>
    (rotaryDim * Math.log(yarn.trained / (turns * 2 * Math.PI))) / (2 * Math.log(base));
  let low = pairTurning(yarn.betaFast);
  let high = pairTurning(yarn.betaSlow);
  if (yarn.truncate) {
    low = Math.floor(low);
    high = Math.ceil(high);
  }
  return [Math.max(low, 0), Math.min(high, rotaryDim - 1)];
}

/** Frequencies blended along the ramp: Peng et al. 2023, as in the authors' code. */
export function yarnInvFreq(rotaryDim: number, base: number, yarn: YarnSettings): Float64Array {
  const [low, high] = yarnRamp(rotaryDim, base, yarn);
  const width = high === low ? 0.001 : high - low;
  return defaultInvFreq(rotaryDim, base).map((speed, i) => {
    const slowed = clip((i - low) / width);
    return speed * (1 - slowed) + (speed / yarn.factor) * slowed;
  });
}

/** What multiplies the turned queries and keys each; `weight` of the logarithm, where a model has its own. */
export function yarnAttentionFactor(factor: number, weight = 1): number {
  return factor > 1 ? 0.1 * weight * Math.log(factor) + 1 : 1;
}

function clip(x: number): number {
  return Math.min(Math.max(x, 0), 1);
}
