// The menu under each picture: what is shown, as a file.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { FONT, type Pen } from "../draw/canvas";
import { palette } from "../draw/palette";
import { say, T } from "../words";
import { Recorder, svg } from "./svg";
import { type Arrays, latin, npz } from "./zip";

/** A picture that can be drawn again, of the size that it is seen at. */
export interface Shot {
  readonly width: number;
  readonly height: number;
  readonly draw: (pen: Pen) => void;
}

/** A kind of file that a picture offers beside the usual ones. */
export interface Kind {
  readonly label: string;
  readonly ending: string;
  readonly make: (shot: Shot) => Blob | Promise<Blob>;
}

/** What the page shows, in words that a file name may hold. */
export const about = signal("");

const SAVE = T("Save", "保存");

export function handOver(blob: Blob, name: string, ending: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `clockhands-${name}-${about.value}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

export function drawn({ width, height, draw }: Shot, ctx: CanvasRenderingContext2D): void {
  ctx.font = FONT;
  draw({ ctx, width, height, palette: palette.value, paper: true });
}

/** A whole PNG. At once: browsers put off `toBlob` until nothing else is to be done. */
export function png(shot: Shot, scale: number): Uint8Array<ArrayBuffer> {
  const canvas = document.createElement("canvas");
  canvas.width = shot.width * scale;
  canvas.height = shot.height * scale;
  const ctx = canvas.getContext("2d")!;
  ctx.scale(scale, scale);
  ctx.fillStyle = palette.value.panel;
  ctx.fillRect(0, 0, shot.width, shot.height);
  drawn(shot, ctx);
  return latin(atob(canvas.toDataURL().split(",")[1]));
}

export function recorded(shot: Shot): string {
  const recorder = new Recorder();
  drawn(shot, recorder as unknown as CanvasRenderingContext2D);
  return recorder.parts.join("");
}

export const vector = (shot: Shot, more = ""): Blob =>
  svg(recorded(shot) + more, shot.width, shot.height, palette.value.panel);

interface Given {
  readonly name: string;
  readonly shot: () => Shot;
  readonly array?: () => Arrays;
  readonly kinds?: readonly Kind[];
  readonly options?: ComponentChildren;
}

export function Save({ name, shot, array, kinds = [], options }: Given) {
  const all: Kind[] = [1, 2, 3].map((scale) => ({
    label: `PNG ${scale}×`,
    ending: "png",
    make: (seen) => new Blob([png(seen, scale)]),
  }));
  all.push({ label: "SVG", ending: "svg", make: (seen) => vector(seen) });
  if (array) all.push({ label: "NPZ", ending: "npz", make: () => npz(array()) });
  const stop = (event: Event) => event.stopPropagation(); // keys and pointers of the picture around it
  return (
    <details class="save" data-save={name} onKeyDown={stop} onPointerDown={stop} onPointerMove={stop}>
      <summary>{say(SAVE)}</summary>
      <div class="tools">
        {[...all, ...kinds].map(({ label, ending, make }) => (
          <button key={label} type="button" onClick={async () => handOver(await make(shot()), name, ending)}>
            {label}
          </button>
        ))}
        {options}
      </div>
    </details>
  );
}
