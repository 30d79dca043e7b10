// The numbers of a picture as a table, made when it is opened.

import { useSignal } from "@preact/signals";
import { type Later, later } from "../files/apart";
import type { Rows } from "../tables/rows";
import { say, T } from "../words";

const SHOW = T("Show as a table", "显示为表格");

interface Given {
  readonly name: string;
  /** What the picture is, as a screen reader says it of both. */
  readonly caption: string;
  readonly make: (by: Later["tables"]) => Rows;
}

export function Table({ name, caption, make }: Given) {
  const part = useSignal<Later | null>(null);
  return (
    <details
      class="table"
      data-table={name}
      onToggle={async ({ currentTarget }) => {
        part.value = currentTarget.open ? await later() : null;
      }}
    >
      <summary aria-label={`${say(SHOW)}: ${caption}`}>{say(SHOW)}</summary>
      {part.value && (
        <part.value.Numbers name={name} caption={caption} make={() => make(part.value!.tables)} />
      )}
    </details>
  );
}
