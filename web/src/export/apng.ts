// Pictures as an animated PNG: the browser packs each, and their chunks are put into one file.

import { crc, latin } from "./zip";

const big = (value: number): number[] => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);

function chunk(kind: string, ...data: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  const parts = [latin(kind), ...data];
  const length = parts.reduce((all, each) => all + each.length, 0);
  const found = new Uint8Array(length + 8);
  found.set(big(length - 4));
  let at = 4;
  for (const part of parts) {
    found.set(part, at);
    at += part.length;
  }
  found.set(big(crc(found.subarray(4, at))), at);
  return found;
}

/** The data of all chunks of a kind. */
function of(png: Uint8Array, kind: string): Uint8Array[] {
  const found: Uint8Array[] = [];
  const view = new DataView(png.buffer);
  for (let at = 8; at < png.length; at += 12 + view.getUint32(at)) {
    if (String.fromCharCode(...png.subarray(at + 4, at + 8)) === kind)
      found.push(png.subarray(at + 8, at + 8 + view.getUint32(at)));
  }
  return found;
}

/** Whole PNG files of one size, shown in turn for `ms` in all, for ever. */
export function apng(pngs: readonly Uint8Array[], ms: number): Blob {
  let order = 0;
  const begun = (frame: number) => Math.round((ms * frame) / pngs.length); // rounding never adds up
  const header = of(pngs[0], "IHDR")[0];
  const frames = pngs.flatMap((png, frame) => {
    const delay = begun(frame + 1) - begun(frame);
    const about = [...header.subarray(0, 8), ...big(0), ...big(0), delay >> 8, delay & 255, 3, 232, 0, 0];
    const control = chunk("fcTL", big(order++), about);
    const data = of(png, "IDAT").map((each) =>
      frame ? chunk("fdAT", big(order++), each) : chunk("IDAT", each),
    );
    return [control, ...data];
  });
  const start = latin("\x89PNG\r\n\x1a\n");
  return new Blob(
    [start, chunk("IHDR", header), chunk("acTL", big(pngs.length), big(0)), ...frames, chunk("IEND")],
    {
      type: "image/png",
    },
  );
}
