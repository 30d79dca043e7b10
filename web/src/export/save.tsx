// The menu under each picture: what is shown, as a file.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Pen } from "../draw/canvas";
import { type Later, later } from "../files/apart";
import { say, T } from "../words";
import type { Arrays } from "./zip";

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
  readonly make: (shot: Shot, by: Later) => Blob | Promise<Blob>;
}

/** What the page shows, in words that a file name may hold; asked when a file is made. */
export const about = { now: () => "" };

const SAVE = T("Save", "保存");

export function handOver(blob: Blob, name: string, ending: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `clockhands-${name}-${about.now()}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

interface Given {
  readonly name: string;
  readonly shot: () => Shot;
  readonly array?: () => Arrays;
  readonly kinds?: readonly Kind[];
  readonly options?: ComponentChildren;
}

export function Save({ name, shot, array, kinds = [], options }: Given) {
  const open = useSignal(false);
  const all: Kind[] = [1, 2, 3].map((scale) => ({
    label: `PNG ${scale}×`,
    ending: "png",
    make: (seen, by) => new Blob([by.png(seen, scale)]),
  }));
  all.push({ label: "SVG", ending: "svg", make: (seen, by) => by.vector(seen) });
  if (array) all.push({ label: "NPZ", ending: "npz", make: (_, by) => by.npz(array()) });
  const stop = (event: Event) => event.stopPropagation(); // keys and pointers of the picture around it
  return (
    <details
      class="save"
      data-save={name}
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
      onKeyDown={stop}
      onPointerDown={stop}
      onPointerMove={stop}
    >
      <summary>{say(SAVE)}</summary>
      {open.value && (
        <div class="tools">
          {[...all, ...kinds].map(({ label, ending, make }) => (
            <button
              key={label}
              type="button"
              onClick={async () => handOver(await make(shot(), await later()), name, ending)}
            >
              {label}
            </button>
          ))}
          {options}
        </div>
      )}
    </details>
  );
}
