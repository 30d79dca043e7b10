// The table under a picture, once it is opened: its first rows to be read, and all of them for a spreadsheet.

import { handOver } from "../export/save";
import { exactly, number, say, T } from "../words";
import type { Rows } from "./rows";

const SHOWN = 512;
const SAVED = 65_536;

interface Given {
  readonly name: string;
  readonly caption: string;
  readonly make: () => Rows;
}

const rowsOf = ({ count, row }: Rows, most: number) =>
  Array.from({ length: Math.min(count, most) }, (_, k) => row(k));

/** The table with every digit, as spreadsheets and programs read it. */
function csv(make: () => Rows): Blob {
  const all = exactly(() => {
    const made = make();
    return [made.head.map(say), ...rowsOf(made, SAVED)];
  });
  // A spreadsheet would run what begins so; numbers may begin with a minus.
  const cell = (shown: string) => {
    const text = shown.replace(/^(-?[\d.e+-]+)°$/, "$1"); // the heading says degrees
    const plain = /^[=+\-@\t\r\n'＝＋－＠]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
    return `"${plain.replaceAll('"', '""')}"`;
  };
  const lines = all.map((row) => row.map(cell).join(","));
  return new Blob([`\ufeff${lines.join("\r\n")}\r\n`], { type: "text/csv" });
}

export function Numbers({ name, caption, make }: Given) {
  const made = make();
  const left = made.count - SHOWN;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="scroll" tabIndex={0} aria-label={caption}>
      <table>
        <caption>
          {caption} {made.part && say(made.part)}
        </caption>
        <thead>
          <tr>
            {made.head.map((each, i) => (
              <th key={i} scope="col">
                {say(each)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rowsOf(made, SHOWN).map(([first, ...cells], i) => (
            <tr key={i}>
              <th scope="row">{first}</th>
              {cells.map((cell, j) => (
                <td key={j}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <button type="button" onClick={() => handOver(csv(make), name, "csv")}>
        CSV
      </button>
      {left > 0 ? (
        <p class="note">
          {say(
            T(
              `and ${number(left, 9)} more rows; the CSV holds up to ${number(SAVED, 9)}`,
              `还有 ${number(left, 9)} 行；CSV 最多 ${number(SAVED, 9)} 行`,
            ),
          )}
        </p>
      ) : null}
    </section>
  );
}
