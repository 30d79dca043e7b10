// Schemes that add a number for the distance to the score, and turn nothing.

import { alibiSlopes, t5Bucketing } from "../math/biases";
import { T } from "../words";
import { NOTHING, type Subject } from "./subject";

const sameSide = (from: number, to: number) => from >= 0 || to <= 0;

export function alibi(slopes: ArrayLike<number>, both: boolean): Subject {
  return {
    ...NOTHING,
    title: same("ALiBi"),
    idea: T(
      "No hands. Each head subtracts a straight line from the score: a fixed amount for every token of distance.",
      "没有指针。每个注意力头按一条直线扣分：每远一个词元，扣固定的分。",
    ),
    bias: {
      heads: slopes.length,
      shared: false,
      name: T("bias", "偏置"),
      unit: T("logits", "得分"),
      range: (head, length) => [0 - slopes[head] * (length - 1), 0],
      curve: (head) => ({
        at: (distance) => 0 - slopes[head] * Math.abs(distance),
        straight: sameSide,
        causal: !both,
      }),
    },
  };
}

export const alibiOf = (given: { heads: number; both: boolean }): Subject =>
  alibi(alibiSlopes(given.heads), given.both);

export function t5(given: { heads: number; buckets: number; far: number; both: boolean }): Subject {
  const oneWay = given.both ? Math.floor(given.buckets / 2) : given.buckets;
  const far = Math.max(given.far, Math.floor(oneWay / 2) + 1); // past the exact buckets
  const at = t5Bucketing(given.buckets, far, given.both);
  return {
    ...NOTHING,
    title: same("T5"),
    idea: T(
      "No hands. Distances are sorted into buckets: near by one for each distance, farther off wider and wider ones. " +
        "Each head learns one number for each bucket.",
      "没有指针。把距离分到若干个桶里：近处一个距离一桶，越远桶越宽。每个注意力头为每个桶学一个数。",
    ),
    caution: T(
      "What is drawn is the number of the bucket, which is fixed. What a bucket adds to the score is learned.",
      "图中画的是桶的编号，它是固定的。每个桶给得分加多少，要靠训练。",
    ),
    bias: {
      heads: given.heads,
      shared: true,
      name: T("bucket", "桶的编号"),
      unit: T("bucket", "桶"),
      range: () => [0, given.buckets - 1],
      curve: () => ({
        at,
        straight: (from, to) => sameSide(from, to) && from < 0 === to < 0 && at(from) === at(to),
        causal: !given.both,
      }),
    },
  };
}

export const none: Subject = {
  ...NOTHING,
  title: T("No encoding (NoPE)", "不加位置编码 (NoPE)"),
  idea: T(
    "Nothing says where a token is. A causal mask alone still leaks order, since later tokens see more; " +
      "without it the model sees a bag of words.",
    "没有任何东西告诉模型词元在哪里。光有因果掩码也会透露次序，因为后面的词元看得更多；连掩码也没有，" +
      "模型看到的就只是一袋词。",
  ),
};

function same(word: string) {
  return T(word, word);
}
