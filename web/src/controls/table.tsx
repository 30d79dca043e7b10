// The numbers of a picture as a table, made when it is opened.

import { useSignal } from "@preact/signals";
import { handOver } from "../export/save";
import { exactly, say, T, type Text } from "../words";

export interface Rows {
  readonly head: readonly Text[];
  readonly rows: readonly (readonly string[])[];
  /** Rows that are not shown, where there are too many. */
  readonly left?: number;
}

const SHOW = T("Show as a table", "显示为表格");

export const MOST_ROWS = 512;

export function Table({ make, name }: { make: () => Rows; name: string }) {
  const open = useSignal(false);
  return (
    <details
      class="table"
      data-table={name}
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
    >
      <summary>{say(SHOW)}</summary>
      {open.value && <Shown make={make} name={name} />}
    </details>
  );
}

/** The table with every digit, as spreadsheets and programs read it. */
function csv(make: () => Rows): Blob {
  const { head, rows } = exactly(make);
  // A spreadsheet would run what begins so; numbers may begin with a minus.
  const cell = (shown: string) => {
    const text = shown.replace(/^(-?[\d.e+-]+)°$/, "$1"); // the heading says degrees
    const plain = /^[=+\-@\t\r\n'＝＋－＠]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
    return `"${plain.replaceAll('"', '""')}"`;
  };
  const lines = [head.map(say), ...rows].map((row) => row.map(cell).join(","));
  return new Blob([`\ufeff${lines.join("\r\n")}\r\n`], { type: "text/csv" });
}

function Shown({ make, name }: { make: () => Rows; name: string }) {
  const { head, rows, left } = make();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="scroll" tabIndex={0} aria-label={say(SHOW)}>
      <table>
        <thead>
          <tr>
            {head.map((each, i) => (
              <th key={i} scope="col">
                {say(each)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <button type="button" onClick={() => handOver(csv(make), name, "csv")}>
        CSV
      </button>
      {left ? <p class="note">{say(T(`and ${left} more rows`, `还有 ${left} 行`))}</p> : null}
    </section>
  );
}
