// Queries and keys among the arrays of a file: `(…, t, d)`, the leading axes counted as heads.

import { T } from "../text";
import type { NumberArray } from "./arrays";
import { refuse } from "./refused";

export interface Vectors {
  /** `heads * t * d` numbers. */
  readonly values: ArrayLike<number>;
  readonly heads: number;
  readonly t: number;
}

export interface Queries {
  readonly name: string;
  readonly d: number;
  readonly q: Vectors;
  /** null: one array alone, compared with itself. */
  readonly k: Vectors | null;
}

const MOST_TOKENS = 1_000_000;
const WIDEST = 4096;

const called = (arrays: readonly NumberArray[], words: string) =>
  arrays.find(({ name }) => new RegExp(`(^|[._/-])(${words})$`, "i").test(name));

export function queriesOf(arrays: readonly NumberArray[], name: string): Queries {
  const q = called(arrays, "q|query|queries") ?? arrays.find(({ shape }) => shape.length > 1);
  if (!q)
    refuse(
      T(
        "{0} holds no array of vectors: give q and k, (heads, tokens, width)",
        "{0} 里没有向量数组：请给出 q 和 k，形状为（头数，词元数，宽度）",
      ),
      name,
    );
  const k = called(arrays, "k|key|keys");
  const [own, d] = vectors(q, name);
  if (!k || k === q) return { name, d, q: own, k: null };
  const [keys, width] = vectors(k, name);
  if (d !== width || own.heads % keys.heads)
    refuse(
      T(
        "{0}: q is {1} and k {2}, but their widths must agree and the heads of q be a multiple of those of k",
        "{0}：q 的形状是 {1}，k 是 {2}；两者宽度必须相同，q 的头数必须是 k 的整数倍",
      ),
      name,
      shown(q),
      shown(k),
    );
  return { name, d, q: own, k: keys };
}

const shown = ({ shape }: NumberArray) => `(${shape.join(", ")})`;

function vectors(array: NumberArray, file: string): [Vectors, number] {
  const [t, d] = array.shape.slice(-2);
  if (array.shape.length < 2 || t < 2 || t > MOST_TOKENS || d > WIDEST)
    refuse(
      T(
        "{0}: {1} is {2}, but vectors of 2 to 1,000,000 tokens are needed, at most 4,096 wide: (heads, tokens, width)",
        "{0}：{1} 的形状是 {2}；这里需要 2 到 1,000,000 个词元的向量，宽度不超过 4096：（头数，词元数，宽度）",
      ),
      file,
      array.name.slice(0, 40),
      shown(array),
    );
  const odd = (array.values as Float64Array).findIndex((each) => !Number.isFinite(each));
  if (odd >= 0)
    refuse(
      T(
        "{0}: {1} holds NaN or infinity at token {2}: nothing past it can be trusted, so mend what wrote it",
        "{0}：{1} 在词元 {2} 处有 NaN 或无穷大：之后的数都不可信，请先修好写它的程序",
      ),
      file,
      array.name.slice(0, 40),
      Math.floor(odd / d) % t,
    );
  return [{ values: array.values, heads: array.values.length / (t * d), t }, d];
}
