// The Python that makes a ladder: with the same numbers, to be copied.

import { alongLayers, FASTEST, type Ladder, LINEAR_END, movingHands, type Point } from "../math/ladder";

const list = (points: readonly Point[], part: (point: Point) => number) => `[${points.map(part).join(", ")}]`;
const bend = (points: readonly Point[]) =>
  `np.interp(x, ${list(points, ({ x }) => x)}, ${list(points, ({ y }) => y)})`;

/** Formulas with numbers, and the encoding made of them. */
export function pythonOf(dim: number, ladder: Ladder): string {
  const n = Math.floor(dim / 2);
  const { line, deep, layers, depth } = ladder;
  const moving = movingHands(dim, ladder.moves);
  const byLayer = alongLayers(ladder) > 0 || (layers > 1 && deep.length > 0);
  const tab = byLayer ? "    " : "";
  const log = byLayer ? `(1 - t) * ${bend(ladder.bend)} + t * ${bend(deep)}` : bend(ladder.bend);
  const body = [
    `x = np.arange(${n}) / ${n}  # ${n} hands`,
    ...(byLayer ? [`t = layer / ${layers - 1}  # 0 in the first layer, 1 in the last`] : []),
    `inv_freq = 10.0 ** (${log})  # rad / token`,
    ...(line ? [`inv_freq = ${1 - line} * inv_freq + ${line} * np.linspace(1, ${LINEAR_END}, ${n})`] : []),
    ...(moving < n ? [`inv_freq[${moving}:] = 0  # these hands stand still`] : []),
  ].map((each) => tab + each);
  const shown = Math.min(depth, layers - 1);
  return [
    "import numpy as np",
    "import clockhands as ch",
    "",
    ...(byLayer
      ? ["def ladder(layer):", ...body, "    return inv_freq", "", `inv_freq = ladder(${shown})`]
      : body),
    made(dim, ladder, byLayer),
    "",
  ].join("\n");
}

// A straight ladder from 1 rad / token on is RoPE with a base: then that is said.
function made(dim: number, { bend: points, line, moves }: Ladder, byLayer: boolean): string {
  const [first, last] = points;
  const straight =
    points.length === 2 && !first.x && !first.y && last.x === 1 && last.y < FASTEST && last.y < 0;
  if (byLayer || !straight || (line && moves < 1))
    return "encoding = ch.build(ch.OwnFrequencies(inv_freq))  # needs torch";
  const base = `${Number((10 ** -last.y).toPrecision(15))}`;
  const by = line
    ? `"mixed", d_model=${dim}, base=${base}, linear_weight=${line}, log_weight=${1 - line}`
    : moves < 1
      ? `"proportional", head_dim=${dim}, rope_theta=${base}, moving_share=${moves}`
      : `"rope", head_dim=${dim}, rope_theta=${base}`;
  return `encoding = ch.make(${by})  # needs torch`;
}
