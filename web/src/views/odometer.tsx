// How many turns each hand has made: whole turns as digits, the rest as a filled dial.

import { useMemo } from "preact/hooks";
import { Live } from "../controls/live";
import { Table } from "../controls/table";
import { Canvas, type Pen } from "../draw/canvas";
import { handColours } from "../draw/palette";
import { short } from "../draw/plot";
import { TURN, turnAt } from "../math/exact";
import { wavelength } from "../math/spectrum";
import type { Scene } from "../scene";
import type { Hands } from "../schemes/subject";
import { fixed, number, say, T } from "../words";
import { needsHands, type View } from "./view";

const MOST = 16; // dials side by side; of more hands these are picked evenly
const CELL = 96;

/** Which hands have a dial: all, or evenly chosen ones from the fastest to the slowest. */
export function picked(count: number): number[] {
  const shown = Math.min(count, MOST);
  return Array.from({ length: shown }, (_, k) => Math.round((k * (count - 1)) / Math.max(shown - 1, 1)));
}

// As many as there is room for, fewer where that leaves no gap in the last row.
function columns(width: number, count: number): number {
  const most = Math.max(Math.min(Math.floor(width / CELL), 8), 1);
  for (let k = most; k > most / 2; k--) if (count % k === 0) return k;
  return most;
}

function Odometer({ scene }: { scene: Scene }) {
  const hands = scene.subject.value.hands!;
  const count = hands.invFreq.length;
  const [base, over] = useMemo(
    () => [(pen: Pen) => dials(pen, hands), (pen: Pen) => turned(pen, hands, scene)],
    [scene, hands],
  );
  const which = picked(count);
  const label = say(
    T(
      `Turns made by ${which.length} of ${count} hands, as small dials.`,
      `${count} 根指针中 ${which.length} 根转过的圈数，画成小表盘。`,
    ),
  );
  const height = (width: number) => Math.ceil(which.length / columns(width, which.length)) * (CELL + 26);
  return (
    <>
      <Canvas key={which.length} name="odometer" height={height} label={label} base={base} over={over} />
      <p class="read">
        <Live text={() => summary(scene, hands)} />
      </p>
      <Table name="odometer" caption={label} make={(by) => by.odometer(scene)} />
    </>
  );
}

function summary(scene: Scene, hands: Hands): string {
  let made = 0;
  for (const speed of hands.invFreq) if (Math.abs(speed) * scene.at.value >= TURN) made++;
  const [count, at] = [hands.invFreq.length, number(scene.at.value)];
  return say(
    T(
      `At position ${at}, ${made} of ${count} hands have made a full turn or more.`,
      `到位置 ${at} 时，${count} 根指针中有 ${made} 根转满了一圈。`,
    ),
  );
}

/** Where each dial stands. */
function each(pen: Pen, hands: Hands, draw: (i: number, x: number, y: number, r: number) => void): void {
  const which = picked(hands.invFreq.length);
  const across = columns(pen.width, which.length);
  const step = pen.width / across;
  const r = Math.min(step, CELL) / 2 - 12;
  pen.ctx.textAlign = "center";
  which.forEach((i, k) => {
    draw(i, (k % across) * step + step / 2, Math.floor(k / across) * (CELL + 26) + CELL / 2 + 14, r);
  });
}

/** What stays while the position moves. */
function dials(pen: Pen, hands: Hands): void {
  const { ctx, palette } = pen;
  ctx.textBaseline = "top";
  ctx.strokeStyle = palette.rule;
  each(pen, hands, (i, x, y, r) => {
    ctx.fillStyle = palette.panel;
    ctx.beginPath();
    ctx.arc(x, y, r, 0, TURN);
    ctx.fill();
    ctx.stroke();
    ctx.fillStyle = palette.quiet;
    const long = short(wavelength(hands.invFreq[i]));
    ctx.fillText(say(T(`${long} tokens`, `${long} 词元`)), x, y + r + 4);
  });
}

function turned(pen: Pen, hands: Hands, scene: Scene): void {
  const { ctx, palette } = pen;
  const at = scene.moment.value;
  const colours = handColours(palette, hands.invFreq.length);
  ctx.textBaseline = "bottom";
  ctx.lineWidth = 2.5;
  ctx.lineCap = "round";
  each(pen, hands, (i, x, y, r) => {
    const share = turnAt(hands.speeds, i, at);
    const angle = (share < 0 ? share + 1 : share) * TURN;
    ctx.globalAlpha = 0.18;
    ctx.fillStyle = colours[i];
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.arc(x, y, r, -TURN / 4, angle - TURN / 4);
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colours[i];
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x + 0.86 * r * Math.sin(angle), y - 0.86 * r * Math.cos(angle));
    ctx.stroke();
    ctx.fillStyle = palette.ink;
    const made = fixed((hands.invFreq[i] * at) / TURN);
    ctx.fillText(say(T(`${made} turns`, `${made} 圈`)), x, y - r - 3);
  });
}

export const odometer: View = {
  id: "odometer",
  name: T("Turns made", "转了几圈"),
  lead: T(
    "Above each dial the turns made so far, below it the wavelength: the tokens that one turn takes. No hand carries to the next; each simply turns at its own speed.",
    "表盘上方是已转的圈数，下方是波长：转一圈要多少词元。指针之间没有进位，各转各的。",
  ),
  lacks: needsHands,
  Body: Odometer,
};
