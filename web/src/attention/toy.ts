// A run that nobody trained: four heads whose hands are set by formulas, to have something to look at.

import { say, T } from "../words";
import type { Run, Span } from "./read";

const TEXT = T(
  "Shi Jin strikes Zheng Tu , Zheng Tu strikes Shi Jin . Shi Jin reaches the town ,",
  "史 进 打 郑 屠 ， 郑 屠 打 史 进 。 史 进 到 渭 州 ，",
);
const NAMES = [0, 3, 6, 9, 12, 15]; // where words of two tokens begin
const PAIRS = 8;
const KINDS = 16;
const WIDTH = 2 * PAIRS + KINDS;

/** Heads: the previous token, near tokens, the first token, and what followed the same token before. */
export function toy(): Run {
  const tokens = say(TEXT).split(" ");
  const gap = /^\w/.test(tokens[0]) ? " " : "";
  let end = -gap.length;
  const spans = tokens.map((token): Span => {
    const start = end + gap.length;
    end = start + token.length;
    return [start, end];
  });
  const count = tokens.length;
  const kinds = [...new Set(tokens)];
  const q = new Float32Array(4 * count * WIDTH);
  const k = new Float32Array(4 * count * WIDTH);
  const turn = (into: Float32Array, head: number, i: number, position: number, size: number) => {
    for (let p = 0; p < PAIRS; p++) {
      const angle = position * 100 ** (-p / PAIRS);
      into[(head * count + i) * WIDTH + 2 * p] = size * Math.cos(angle);
      into[(head * count + i) * WIDTH + 2 * p + 1] = size * Math.sin(angle);
    }
  };
  tokens.forEach((sign, i) => {
    const word = (head: number) => (head * count + i) * WIDTH + 2 * PAIRS;
    turn(q, 0, i, i - 1, 3);
    turn(k, 0, i, i, 3);
    turn(q, 1, i, i, 1);
    turn(k, 1, i, i, 1);
    turn(q, 2, i, i, 0.5);
    turn(k, 2, i, i, 0.5);
    q[word(2)] = 4;
    k[word(2)] = i ? 0 : 1;
    q[word(3) + kinds.indexOf(sign)] = 6;
    if (i) k[word(3) + kinds.indexOf(tokens[i - 1])] = 1;
    k[word(3) + KINDS - 1] = i ? 0 : 1;
    q[word(3) + KINDS - 1] = 3;
  });
  const lse = new Float32Array(4 * count);
  for (let row = 0; row < 4 * count; row++) {
    const head = Math.floor(row / count);
    let sum = 0;
    for (let j = head * count; j <= row; j++) {
      let logit = 0;
      for (let d = 0; d < WIDTH; d++) logit += q[row * WIDTH + d] * k[j * WIDTH + d];
      sum += Math.exp(logit);
    }
    lse[row] = Math.log(sum);
  }
  return {
    toy: true,
    title: T("A toy: four heads set by formulas, not trained", "玩具：四个头由公式设定，没有训练过"),
    sentences: [
      {
        name: null,
        tokens,
        text: tokens.join(gap),
        spans,
        words: NAMES.map((start) => [spans[start][0], spans[start + 1][1]]),
        ids: tokens.map((sign) => kinds.indexOf(sign)),
        positions: tokens.map((_, i) => i),
        marks: tokens.map(() => 0),
        causal: true,
        scale: [1],
        error: null,
        layers: 1,
        heads: 4,
        keyHeads: 4,
        width: WIDTH,
        q,
        k,
        lse,
        bias: null,
        weights: null,
      },
    ],
  };
}
