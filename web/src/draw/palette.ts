// Colours of the pictures, read from the style sheet so that light, dark and forced colours are one rule.

import { signal } from "@preact/signals";

export interface Palette {
  readonly page: string;
  readonly panel: string;
  readonly ink: string;
  readonly quiet: string;
  readonly rule: string;
  readonly accent: string;
  readonly dark: boolean;
}

/** 256 colours, `[r, g, b]` after one another. */
export type Ramp = Uint8ClampedArray;

const HANDS = {
  light: [
    "#440154",
    "#482475",
    "#414487",
    "#355f8d",
    "#2a788e",
    "#21918c",
    "#22a884",
    "#3fae64",
    "#66b13c",
    "#8fae1b",
  ],
  dark: ["#b48ef0", "#9a9cf5", "#7fb0f0", "#63c2e0", "#4fd0c4", "#5cd79f", "#84dd78", "#b4de5a", "#dfe04f"],
};
const SIGNED = {
  light: ["#2166ac", "#92c5de", "#f7f7f7", "#f4a582", "#b2182b"],
  dark: ["#8ec7ff", "#2f6ea5", "#1d1c19", "#a8502d", "#ffb38a"],
};
const CYCLE = ["#e2d9e2", "#6785be", "#2f1436", "#b0504b", "#e2d9e2"];
const SIZES = ["#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#fde725"];

export const palette = signal<Palette>({
  page: "#fbfaf7",
  panel: "#ffffff",
  ink: "#2b2a27",
  quiet: "#65635d",
  rule: "#d9d5cc",
  accent: "#b45309",
  dark: false,
});

/** Read the style sheet's colours again: after a change of theme. */
export function readPalette(root: Element): void {
  const style = getComputedStyle(root);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  palette.value = {
    page: colour("page"),
    panel: colour("panel"),
    ink: colour("ink"),
    quiet: colour("quiet"),
    rule: colour("rule"),
    accent: colour("surprise"),
    dark: colour("scheme") === "dark",
  };
}

function rgb(hex: string): [number, number, number] {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function ramp(stops: readonly string[]): Ramp {
  const colours = stops.map(rgb);
  const found = new Uint8ClampedArray(3 * 256);
  for (let k = 0; k < 256; k++) {
    const along = (k / 255) * (colours.length - 1);
    const at = Math.min(Math.floor(along), colours.length - 2);
    for (let c = 0; c < 3; c++) {
      found[3 * k + c] = colours[at][c] + (along - at) * (colours[at + 1][c] - colours[at][c]);
    }
  }
  return found;
}

const tone = (p: Palette) => (p.dark ? "dark" : "light");

export const signedRamp = (p: Palette): Ramp => ramp(SIGNED[tone(p)]);
export const cycleRamp = (): Ramp => ramp(CYCLE);
export const sizeRamp = (): Ramp => ramp(SIZES);

const ofHands = new WeakMap<Palette, string[][]>(); // by their count: pictures ask for them at every frame

/** Colours of hands from fast to slow. */
export function handColours(p: Palette, count: number): readonly string[] {
  const known = ofHands.get(p) ?? [];
  ofHands.set(p, known);
  if (known[count]) return known[count];
  const found = ramp(HANDS[tone(p)]);
  known[count] = Array.from({ length: count }, (_, i) => {
    const k = 3 * Math.round(count > 1 ? (255 * i) / (count - 1) : 85);
    return `rgb(${found[k]} ${found[k + 1]} ${found[k + 2]})`;
  });
  return known[count];
}

/** Lines that must be told apart and have no order, after Okabe and Ito (2008). */
export const LINES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8a8a"];
