import { angleAt } from "../math/exact";
import * as frequencies from "../math/frequencies";
import { dimensionsOfHand, type Layout } from "../math/rotation";
import type { Scaling } from "../state/fields";
import { T } from "../words";
import { type Hands, hands, NOTHING, type Subject, type Table } from "./subject";

export interface RopeSettings {
  readonly dim: number;
  readonly base: number;
  readonly layout: Layout;
  readonly scaling: Scaling;
  readonly factor: number;
  readonly trained: number;
  readonly slow: number;
  readonly fast: number;
  readonly betaSlow: number;
  readonly betaFast: number;
  readonly truncate: boolean;
  readonly share: number;
  readonly context: number;
}

export function rope(given: RopeSettings): Subject {
  const plain = frequencies.defaultInvFreq(given.dim, given.base);
  const { invFreq, attentionFactor } = scaled(given, plain);
  const extends_ = given.scaling !== "default" && given.scaling !== "proportional";
  return {
    ...ofHands(
      hands(invFreq, plain, extends_ ? given.trained : null, attentionFactor),
      given.dim,
      given.layout,
    ),
    caution:
      given.scaling === "longrope"
        ? T(
            "LongRoPE's divisors come from a search and belong to one model. Those drawn here only stand in for them: " +
              "they are what NTK amounts to.",
            "LongRoPE 的除数由搜索得到，属于具体的模型。这里先用 NTK 缩放的等效值代替。",
          )
        : null,
  };
}

export function ofHands(own: Hands, width: number, layout: Layout): Subject {
  return {
    ...NOTHING,
    title: T("RoPE", "旋转位置编码 RoPE"),
    idea: T(
      "The hands turn the query and the key. Between them only the difference of the turns is left: the " +
        "distance.",
      "指针转动的是查询和键。两者相乘，只剩下角度之差，也就是距离。",
    ),
    hands: own,
    table: tableOf(own, width, layout),
    layout,
  };
}

function scaled(
  given: RopeSettings,
  plain: Float64Array,
): { invFreq: Float64Array; attentionFactor: number } {
  const { dim, base, factor, trained, context } = given;
  switch (given.scaling) {
    case "default":
      return { invFreq: plain, attentionFactor: 1 };
    case "linear":
      return { invFreq: frequencies.linearInvFreq(dim, base, factor), attentionFactor: 1 };
    case "ntk":
      return { invFreq: frequencies.ntkInvFreq(dim, base, factor), attentionFactor: 1 };
    case "dynamic":
      return {
        invFreq: frequencies.dynamicNtkInvFreq(dim, base, factor, trained, context),
        attentionFactor: 1,
      };
    case "llama3": {
      const fast = Math.max(given.fast, given.slow * 1.0001); // the blend needs a width
      return {
        invFreq: frequencies.byPartsInvFreq(dim, base, factor, trained, given.slow, fast),
        attentionFactor: 1,
      };
    }
    case "yarn":
      return {
        invFreq: frequencies.yarnInvFreq(dim, base, given),
        attentionFactor: frequencies.yarnAttentionFactor(factor),
      };
    case "longrope": {
      const ones = Array.from(plain, () => 1);
      const ntk = frequencies.ntkInvFreq(dim, base, factor);
      const long = Array.from(plain, (speed, i) => speed / ntk[i]);
      return {
        invFreq: frequencies.longropeInvFreq(dim, base, ones, long, trained, context),
        attentionFactor: frequencies.longropeAttentionFactor(factor, trained),
      };
    }
    case "proportional":
      return { invFreq: frequencies.proportionalInvFreq(dim, base, given.share), attentionFactor: 1 };
  }
}

// Which hand turns a dimension, and where it stands; dimensions past the turned ones stand still.
function tableOf(own: Hands, width: number, layout: Layout): Table {
  const pairs = own.invFreq.length;
  const turnedBy = new Int32Array(width).fill(-1);
  for (let hand = 0; hand < pairs; hand++) {
    for (const dimension of dimensionsOfHand(hand, pairs, layout)) turnedBy[dimension] = hand;
  }
  return {
    width,
    kind: "phase",
    limit: Math.PI,
    value: (position, dimension) =>
      turnedBy[dimension] < 0 ? 0 : angleAt(own.speeds, turnedBy[dimension], position),
    dimension: (dimension) =>
      turnedBy[dimension] < 0
        ? T("not turned", "不转动")
        : T(`turned by hand ${turnedBy[dimension]}`, `由指针 ${turnedBy[dimension]} 转动`),
  };
}
