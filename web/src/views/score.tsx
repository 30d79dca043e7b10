// A few numbers that say what a set of hands, or a bias, is good for.

import { useComputed } from "@preact/signals";
import { horizon } from "../math/kernel";
import { finished, wavelength } from "../math/spectrum";
import { uniqueness } from "../math/uniqueness";
import { MOST_DISTANCES, type Scene } from "../scene";
import { fixed, number, percent, say, T, type Text } from "../words";
import type { View } from "./view";

interface Line {
  readonly name: Text;
  readonly value: string;
  readonly means: Text;
}

function Score({ scene }: { scene: Scene }) {
  const lines = useComputed(() => ofHands(scene) ?? ofBias(scene) ?? []);
  return (
    <dl class="score">
      {lines.value.map(({ name, value, means }) => (
        <div key={name.en}>
          <dt>{say(name)}</dt>
          <dd>
            <b>{value}</b> <span>{say(means)}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function ofHands(scene: Scene): Line[] | null {
  const { hands } = scene.subject.value;
  const curve = scene.curve.value;
  if (!hands || !curve) return null;
  const context = scene.state.context.value;
  const seen = horizon(curve);
  const unique = uniqueness(hands.speeds, hands.invFreq, curve);
  const reach = number(curve.length - 1, 9);
  const never = T("never", "没有");
  const where = (place: number | null) => (place === null ? say(never) : number(place, 9));
  const margin = unique.nearest.value / unique.neighbour;
  const longest = hands.invFreq.reduce((most, speed) => Math.max(most, wavelength(speed)), 0);
  return [
    {
      name: T("Uniqueness margin", "唯一性余量"),
      value: fixed(margin, 3),
      means: T(
        `nearest return within ${reach} tokens (at ${number(unique.nearest.distance, 9)}), as a share of a step; ` +
          "1 or so is safe",
        `${reach} 个词元内最接近的一次重现（距离 ${number(unique.nearest.distance, 9)}）与一步之差的比；接近 1 就安全`,
      ),
    },
    {
      name: T("First alias", "最早的混淆"),
      value: where(unique.firstAlias),
      means: T("the first distance that looks nearer than a neighbour", "第一个看起来比相邻位置还近的距离"),
    },
    {
      name: T("Strongest false echo", "最强的假回声"),
      value: seen.echo ? fixed(seen.echo.value, 3) : say(never),
      means: T(
        `similarity climbs back to this, at distance ${where(seen.echo?.distance ?? null)}`,
        `相似度在距离 ${where(seen.echo?.distance ?? null)} 处又回到这么高`,
      ),
    },
    {
      name: T("Monotone share", "单调比例"),
      value: percent(1 - seen.risingShare),
      means: T(
        `of single steps up to ${reach} go down; similarity first rises after distance ${where(seen.firstRise)}`,
        `的单步（到 ${reach} 为止）是下降的；相似度第一次上升在距离 ${where(seen.firstRise)} 之后`,
      ),
    },
    {
      name: T("First negative", "最早为负"),
      value: where(seen.firstNegative),
      means: T(
        `similarity is lowest at ${number(seen.lowest.distance, 9)}: ${fixed(seen.lowest.value, 3)}`,
        `相似度最低在 ${number(seen.lowest.distance, 9)}：${fixed(seen.lowest.value, 3)}`,
      ),
    },
    {
      name: T("Coverage", "覆盖"),
      value: `${finished(hands.invFreq, context)} / ${hands.invFreq.length}`,
      means:
        longest < Number.POSITIVE_INFINITY
          ? T(
              `hands finish a turn in the context; the slowest takes ${number(longest)} tokens`,
              `根指针在上下文内转满一圈；最慢的一圈要 ${number(longest)} 个词元`,
            )
          : T(
              "hands finish a turn in the context; some never turn",
              "根指针在上下文内转满一圈；有的从不转动",
            ),
    },
    {
      name: T("Step between neighbours", "相邻位置距离"),
      value: fixed(unique.neighbour, 5),
      means: T("the same everywhere", "处处相同"),
    },
  ];
}

function ofBias(scene: Scene): Line[] | null {
  const { bias } = scene.subject.value;
  if (!bias) return null;
  const { at } = bias.curve(Math.min(scene.state.head.value, bias.heads - 1));
  const last = scene.length.value - 1;
  const looked = Math.min(last, MOST_DISTANCES);
  const values = new Set<number>();
  let flat: number | null = null;
  for (let k = 0; k <= looked; k++) {
    values.add(at(k));
    if (flat === null && k > 0 && at(k) === at(k - 1)) flat = k - 1;
  }
  return [
    {
      name: T("Distances told apart", "能分清的距离"),
      value: number(values.size, 9),
      means: T(
        `different values up to distance ${number(looked, 9)}`,
        `种不同的值（距离到 ${number(looked, 9)}）`,
      ),
    },
    {
      name: T("First that are alike", "最早分不清"),
      value: flat === null ? say(T("never", "没有")) : number(flat, 9),
      means: T("this distance and the next count the same", "这个距离和下一个距离没有区别"),
    },
    {
      name: T("At the far end", "最远处"),
      value: number(at(last)),
      means: T(`${bias.name.en} at distance ${number(last, 9)}`, `距离 ${number(last, 9)} 的${bias.name.zh}`),
    },
  ];
}

export const score: View = {
  id: "score",
  name: T("Score card", "成绩单"),
  lead: T(
    "What these settings are good for. Defined is not the same as working: a model can use only what it saw.",
    "这组设置好在哪里、差在哪里。算得出来不等于用得上：模型只会用它在训练中见过的。",
  ),
  lacks: (subject) =>
    subject.hands || subject.bias
      ? null
      : T("Nothing to score: no number follows from a rule.", "没有可评的：没有按规律算出来的数。"),
  Body: Score,
};
