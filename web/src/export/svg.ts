// What a picture draws, written down as SVG: the part of a canvas context that the pictures use.

import { FONT } from "../draw/canvas";

const escaped = (text: string) =>
  text
    .replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/gu, (sign) => (sign.length > 1 ? sign : "�"));
const n = (value: number) => String(Math.round(value * 100) / 100);

const PEN = {
  fillStyle: "#000",
  strokeStyle: "#000",
  lineWidth: 1,
  lineCap: "butt",
  globalAlpha: 1,
  font: FONT,
  textAlign: "left",
  textBaseline: "alphabetic",
  dash: "",
};

const ANCHORS: Record<string, string> = { right: "end", end: "end", center: "middle" };

export class Recorder {
  readonly parts: string[] = [];
  private readonly measuring = document.createElement("canvas").getContext("2d")!;
  private d = "";
  private clips = 0;
  private open = 0;
  private readonly saved: (typeof PEN & { open: number })[] = [];

  constructor() {
    Object.assign(this, PEN);
  }

  private get pen() {
    return this as unknown as typeof PEN;
  }

  save() {
    const kept = Object.fromEntries(
      Object.keys(PEN).map((name) => [name, this.pen[name as keyof typeof PEN]]),
    );
    this.saved.push({ ...(kept as typeof PEN), open: this.open });
    this.open = 0;
  }
  restore() {
    this.parts.push("</g>".repeat(this.open));
    Object.assign(this, this.saved.pop());
  }
  private group(attribute: string) {
    this.parts.push(`<g ${attribute}>`);
    this.open++;
  }
  translate(x: number, y: number) {
    this.group(`transform="translate(${n(x)} ${n(y)})"`);
  }
  rotate(angle: number) {
    this.group(`transform="rotate(${n((angle * 180) / Math.PI)})"`);
  }
  clip() {
    const name = `c${this.clips++}`;
    this.parts.push(`<clipPath id="${name}"><path d="${this.d}"/></clipPath>`);
    this.group(`clip-path="url(#${name})"`);
  }
  beginPath() {
    this.d = "";
  }
  moveTo(x: number, y: number) {
    this.d += `M${n(x)} ${n(y)}`;
  }
  lineTo(x: number, y: number) {
    this.d += `L${n(x)} ${n(y)}`;
  }
  rect(x: number, y: number, width: number, height: number) {
    this.d += `M${n(x)} ${n(y)}h${n(width)}v${n(height)}h${n(-width)}z`;
  }
  /** Clockwise; in two halves, since one arc can't come back to where it began. */
  arc(x: number, y: number, r: number, from: number, to: number) {
    const turn = 2 * Math.PI;
    const sweep = to - from >= turn ? turn : (((to - from) % turn) + turn) % turn;
    const point = (angle: number) => `${n(x + r * Math.cos(angle))} ${n(y + r * Math.sin(angle))}`;
    this.d += `${this.d ? "L" : "M"}${point(from)}`;
    for (const half of [0.5, 1]) this.d += `A${n(r)} ${n(r)} 0 0 1 ${point(from + half * sweep)}`;
  }
  stroke() {
    this.parts.push(`<path d="${this.d}" ${this.stroked}/>`);
  }
  fill() {
    this.parts.push(`<path d="${this.d}" ${this.filled}/>`);
  }
  strokeRect(...box: [number, number, number, number]) {
    this.parts.push(`<rect ${placed(box)} ${this.stroked}/>`);
  }
  fillRect(...box: [number, number, number, number]) {
    this.parts.push(`<rect ${placed(box)} ${this.filled}/>`);
  }
  setLineDash(dash: readonly number[]) {
    this.pen.dash = dash.join(" ");
  }
  measureText(text: string) {
    this.measuring.font = this.pen.font;
    return this.measuring.measureText(text);
  }
  fillText(text: string, x: number, y: number) {
    // Viewers differ in where they put other baselines than the usual one, so its place is computed.
    const height = (baseline: string) => {
      this.measuring.textBaseline = baseline as CanvasTextBaseline;
      return this.measureText("x").actualBoundingBoxAscent;
    };
    const down = height("alphabetic") - height(this.pen.textBaseline);
    const anchor = ANCHORS[this.pen.textAlign] ?? "start";
    this.parts.push(
      `<text x="${n(x)}" y="${n(y + down)}" text-anchor="${anchor}" ${this.filled}>${escaped(text)}</text>`,
    );
  }
  drawImage(sheet: HTMLCanvasElement, ...box: [number, number, number, number]) {
    this.parts.push(
      `<image ${placed(box)} preserveAspectRatio="none" style="image-rendering:pixelated" href="${sheet.toDataURL()}"/>`,
    );
  }
  private colour(style: string) {
    this.measuring.fillStyle = style;
    return this.measuring.fillStyle;
  }
  private get filled() {
    return `fill="${this.colour(this.pen.fillStyle)}" fill-opacity="${n(this.pen.globalAlpha)}"`;
  }
  private get stroked() {
    const { strokeStyle, lineWidth, lineCap, dash, globalAlpha } = this.pen;
    const dashed = dash && ` stroke-dasharray="${dash}"`;
    return `fill="none" stroke="${this.colour(strokeStyle)}" stroke-width="${n(lineWidth)}" stroke-linecap="${lineCap}" stroke-opacity="${n(globalAlpha)}"${dashed}`;
  }
}

const placed = ([x, y, width, height]: [number, number, number, number]) =>
  `x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}"`;

/** The page's own Chinese glyphs, so that a file shows them where no such font is. */
function glyphs(drawn: string): string {
  if (!/[\u2e80-\uffff]/.test(drawn)) return "";
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  return rules
    .filter((rule) => rule instanceof CSSFontFaceRule)
    .map((rule) => rule.cssText)
    .join("");
}

/** A whole SVG document of what was drawn. */
export function svg(drawn: string, width: number, height: number, background: string): Blob {
  const font = escaped(FONT.slice(FONT.indexOf(" ") + 1));
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-size="12" font-family="${font}"><style>${escaped(glyphs(drawn))}</style><rect width="100%" height="100%" fill="${background}"/>${drawn}</svg>`;
  return new Blob([text], { type: "image/svg+xml" });
}
