// Arrays as NumPy reads them: .npy in a zip that stores without packing.

export type Arrays = Readonly<
  Record<string, { readonly shape: readonly number[]; readonly data: Float64Array }>
>;

/** CRC-32 of ISO 3309, as zip and PNG have it. */
export function crc(bytes: Uint8Array): number {
  let sum = -1;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 && 0xedb88320);
  }
  return ~sum >>> 0;
}

/** Signs up to U+00FF as bytes. */
export function latin(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let n = 0; n < bytes.length; n++) bytes[n] = text.charCodeAt(n);
  return bytes;
}

/** Whole numbers of 2 or 4 bytes, low byte first: `[bytes, value]`. */
export function little(...numbers: readonly (readonly [2 | 4, number])[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    numbers.flatMap(([bytes, value]) => Array.from({ length: bytes }, (_, n) => (value >>> (8 * n)) & 255)),
  );
}

function npy({ shape, data }: Arrays[string]): Uint8Array<ArrayBuffer> {
  const about = `{'descr': '<f8', 'fortran_order': False, 'shape': (${shape.map((each) => `${each},`).join("")})}`;
  const room = 64 - ((10 + about.length + 1) % 64);
  const header = `${about}${" ".repeat(room)}\n`;
  const found = new Uint8Array(10 + header.length + data.byteLength);
  found.set(latin("\x93NUMPY\x01\x00"));
  found.set(little([2, header.length]), 8);
  found.set(latin(header), 10);
  found.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), 10 + header.length);
  return found;
}

/** A .npz of float64 arrays; their names are plain letters. */
export function npz(arrays: Arrays): Blob {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const list: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  for (const [name, array] of Object.entries(arrays)) {
    const file = latin(`${name}.npy`);
    const bytes = npy(array);
    // Version, flags, method 0, a time and date that zip allows (1980-01-01), sum, sizes, lengths.
    const about = little(
      [2, 20],
      [2, 0],
      [2, 0],
      [2, 0],
      [2, 33],
      [4, crc(bytes)],
      [4, bytes.length],
      [4, bytes.length],
      [2, file.length],
      [2, 0],
    );
    parts.push(little([4, 0x04034b50]), about, file, bytes);
    list.push(little([4, 0x02014b50], [2, 20]), about, little([2, 0], [2, 0], [2, 0], [4, 0], [4, at]), file);
    at += 30 + file.length + bytes.length;
  }
  const count = Object.keys(arrays).length;
  const size = list.reduce((all, each) => all + each.length, 0);
  return new Blob([
    ...parts,
    ...list,
    little([4, 0x06054b50], [4, 0], [2, count], [2, count], [4, size], [4, at], [2, 0]),
  ]);
}
