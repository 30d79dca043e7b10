import { angleAt } from "../math/exact";
import { type Exponent, sinusoidInvFreq } from "../math/frequencies";
import { type Arrangement, type First, handOfDimension } from "../math/sinusoid";
import { T } from "../words";
import { type Hands, hands, NOTHING, type Subject, type Table } from "./subject";

export interface SinusoidSettings {
  readonly dim: number;
  readonly base: number;
  readonly exponent: Exponent;
  readonly arrangement: Arrangement;
  readonly first: First;
}

export function sinusoidal(given: SinusoidSettings): Subject {
  const own = hands(sinusoidInvFreq(given.dim, given.base, given.exponent));
  return ofHands(own, given.dim, given.arrangement, given.first);
}

export function ofHands(own: Hands, width: number, arrangement: Arrangement, first: First): Subject {
  return {
    ...NOTHING,
    title: T("Sinusoidal", "正弦位置编码"),
    idea: T(
      "Each pair of numbers is a clock hand: how far its tip is to the side, and how far up. All hands together are " +
        "added to the word.",
      "每两个数是一根指针：针尖的横坐标和纵坐标。这一排指针加到词嵌入上。",
    ),
    hands: own,
    table: tableOf(own, width, arrangement, first),
    arrangement,
    first,
  };
}

function tableOf(own: Hands, width: number, arrangement: Arrangement, first: First): Table {
  return {
    width,
    kind: "signed",
    limit: 1,
    value: (position, dimension) => {
      const { hand, sine } = handOfDimension(dimension, width, arrangement, first);
      const angle = angleAt(own.speeds, hand, position);
      return sine ? Math.sin(angle) : Math.cos(angle);
    },
    dimension: (dimension) => {
      const { hand, sine } = handOfDimension(dimension, width, arrangement, first);
      return sine
        ? T(`sine of hand ${hand}`, `指针 ${hand} 的正弦`)
        : T(`cosine of hand ${hand}`, `指针 ${hand} 的余弦`);
    },
  };
}
