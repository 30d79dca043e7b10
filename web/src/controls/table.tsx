// The numbers of a picture as a table, made when it is opened.

import { useSignal } from "@preact/signals";
import { say, T, type Text } from "../words";

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
      {open.value && <Shown make={make} />}
    </details>
  );
}

function Shown({ make }: { make: () => Rows }) {
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
      {left ? <p class="note">{say(T(`and ${left} more rows`, `还有 ${left} 行`))}</p> : null}
    </section>
  );
}
