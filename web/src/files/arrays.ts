// Arrays of numbers in .npy, .npz and .safetensors: what a header claims is held against what the file holds
// before anything is made of it.

import { T } from "../text";
import { refuse } from "./refused";
import { finite, isObject } from "./settings";

export interface NumberArray {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: Float32Array | Float64Array;
}

/** Numbers in all arrays that are read; four times as many bytes, or eight. */
export const MOST_NUMBERS = 2 ** 25;
const MOST_ARRAYS = 64;

type Kind = "F16" | "BF16" | "F32" | "F64";
const SIZES: Record<Kind, number> = { F16: 2, BF16: 2, F32: 4, F64: 8 };
const NUMPY: Record<string, Kind> = { f2: "F16", f4: "F32", f8: "F64", V2: "BF16", bfloat16: "BF16" };

const BROKEN = T(
  "{0} is broken: it claims more than it holds, so write it again",
  "{0} 已损坏：声明的内容比实际的多，请重新写一次",
);
const LARGE = T(
  "{0} unpacks to more than 33 million numbers: keep q and k of one layer and fewer positions",
  "{0} 解开后超过 3300 万个数：请只保留一层的 q 和 k，并减少位置数",
);
const KIND = T(
  "{0} holds numbers of the kind “{1}”, and float16, bfloat16, float32 or float64 in C order are needed: convert it",
  "{0} 里的数是“{1}”，而这里需要按 C 顺序存放的 float16、bfloat16、float32 或 float64：请先转换",
);

const startsWith = (bytes: Uint8Array, start: string) =>
  bytes.length > start.length && [...start].every((sign, k) => bytes[k] === sign.charCodeAt(0));

const ascii = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes);

/** Whether it begins as a safetensors file does: eight bytes of length, then an object. */
export const isSafetensors = (bytes: Uint8Array) => bytes.length > 9 && bytes[8] === 0x7b && bytes[7] === 0;

/** null: it is none of the three. */
export async function readArrays(bytes: Uint8Array, name: string): Promise<readonly NumberArray[] | null> {
  if (startsWith(bytes, "GGUF"))
    refuse(
      T(
        "{0} is a GGUF file: drop what clockhands check --format json says of it",
        "{0} 是 GGUF 文件：请把 clockhands check --format json 的输出拖进来",
      ),
      name,
    );
  if (startsWith(bytes, "\x93NUMPY")) return [npy(bytes, name, name)];
  if (startsWith(bytes, "PK\x03\x04")) return npz(bytes, name);
  return isSafetensors(bytes) ? safetensors(bytes, name) : null;
}

function numbersOf(
  bytes: Uint8Array,
  kind: Kind,
  shape: readonly number[],
  file: string,
): NumberArray["values"] {
  const count = shape.reduce((a, b) => a * b, 1);
  if (count > MOST_NUMBERS) refuse(LARGE, file);
  if (!shape.every((each) => Number.isInteger(each) && each > 0) || count * SIZES[kind] !== bytes.length)
    refuse(BROKEN, file);
  const copy = bytes.slice().buffer; // at its own start, so that it is aligned
  if (kind === "F32") return new Float32Array(copy);
  if (kind === "F64") return new Float64Array(copy);
  const halves = new Uint16Array(copy);
  if (kind === "F16") return Float32Array.from(halves, ofHalf);
  const wide = Uint32Array.from(halves, (half) => half << 16);
  return new Float32Array(wide.buffer);
}

function ofHalf(half: number): number {
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  const size =
    exponent === 0
      ? fraction * 2 ** -24
      : exponent === 31
        ? fraction
          ? Number.NaN
          : Number.POSITIVE_INFINITY
        : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return half & 0x8000 ? -size : size;
}

function npy(bytes: Uint8Array, name: string, file: string): NumberArray {
  const wide = bytes[6] > 1;
  const start = wide ? 12 : 10;
  if (bytes.length < start) refuse(BROKEN, file);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const end = start + (wide ? view.getUint32(8, true) : view.getUint16(8, true));
  if (end > bytes.length) refuse(BROKEN, file);
  const header = ascii(bytes.subarray(start, end));
  const descr = /'descr':\s*'([^']{1,16})'/.exec(header)?.[1] ?? "?";
  const shape = /'shape':\s*\(([\d, ]{0,99})\)/.exec(header)?.[1];
  const kind = NUMPY[descr.replace(/^[<|]/, "")];
  if (!kind || !/'fortran_order':\s*False/.test(header)) refuse(KIND, file, descr);
  const sizes = (shape ?? "0").split(",").filter((each) => each.trim());
  return {
    name,
    ...{ shape: sizes.map(Number) },
    values: numbersOf(bytes.subarray(end), kind, sizes.map(Number), file),
  };
}

function safetensors(bytes: Uint8Array, file: string): NumberArray[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const start = 8 + Number(view.getBigUint64(0, true));
  if (start > bytes.length) refuse(BROKEN, file);
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  } catch {
    refuse(BROKEN, file);
  }
  const found: NumberArray[] = [];
  for (const [name, each] of Object.entries(isObject(header) ? header : {})) {
    if (name === "__metadata__" || !isObject(each) || found.length >= MOST_ARRAYS) continue;
    const { dtype, shape, data_offsets } = each;
    const [from, to] = Array.isArray(data_offsets) ? data_offsets.map(finite) : [];
    if (!Object.hasOwn(SIZES, String(dtype))) refuse(KIND, file, String(dtype).slice(0, 16));
    if (
      !Array.isArray(shape) ||
      shape.length > 8 ||
      from == null ||
      to == null ||
      from < 0 ||
      start + to > bytes.length
    )
      refuse(BROKEN, file);
    const own = bytes.subarray(start + from, start + to);
    found.push({
      name,
      shape: shape as number[],
      values: numbersOf(own, dtype as Kind, shape as number[], file),
    });
  }
  return found;
}

// A zip archive by its list at the end; each member is unpacked no further than it says, and than is allowed.
async function npz(bytes: Uint8Array, file: string): Promise<NumberArray[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let end = bytes.length - 22;
  while (end >= Math.max(0, bytes.length - 66_000) && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0 || view.getUint32(end, true) !== 0x06054b50) refuse(BROKEN, file);
  const found: NumberArray[] = [];
  let left = MOST_NUMBERS * 8;
  let at = view.getUint32(end + 16, true);
  const count = view.getUint16(end + 10, true);
  try {
    for (let k = 0; k < Math.min(count, MOST_ARRAYS); k++) {
      if (view.getUint32(at, true) !== 0x02014b50) refuse(BROKEN, file);
      const [method, packed, size] = [
        view.getUint16(at + 10, true),
        view.getUint32(at + 20, true),
        view.getUint32(at + 24, true),
      ];
      const [named, extra, comment] = [28, 30, 32].map((place) => view.getUint16(at + place, true));
      const name = ascii(bytes.subarray(at + 46, at + 46 + named)).replace(/\.npy$/, "");
      const local = view.getUint32(at + 42, true);
      at += 46 + named + extra + comment;
      const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      if (size > left) refuse(LARGE, file);
      if (from + packed > bytes.length || (method !== 0 && method !== 8)) refuse(BROKEN, file);
      left -= size;
      const own = bytes.subarray(from, from + packed);
      const whole = method === 0 ? own : await inflated(own, size);
      if (whole?.length !== size) refuse(BROKEN, file);
      if (startsWith(whole, "\x93NUMPY")) found.push(npy(whole, name, file));
    }
  } catch (error) {
    if (error instanceof RangeError) refuse(BROKEN, file); // it points past its end
    throw error;
  }
  return found;
}

/** null where it isn't what it says, or more; nothing is made room for before it comes. */
async function inflated(packed: Uint8Array, size: number): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = new Blob([packed as BlobPart])
    .stream()
    .pipeThrough(new DecompressionStream("deflate-raw"))
    .getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      length += value.length;
      if (length > size) return null;
    }
  } catch {
    return null;
  } finally {
    reader.cancel().catch(() => undefined);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
