// What is looked at: a run, one sentence, layer and head of it, and the maps of all heads of the layer.

import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Pen } from "../draw/canvas";
import type { Scene } from "../scene";
import type { State } from "../state/state";
import { number, T, type Text } from "../words";
import { grouped, groupedRow, type Starts, type Unit, waysOf } from "./groups";
import { embeddedRun, type Run, type Sentence } from "./read";
import { toy } from "./toy";
import { type Part, Pyramid, type Row, rowsOf, type Window } from "./weights";

export interface Look {
  readonly state: State;
  readonly run: ReadonlySignal<Run>;
  /** Ways to group its tokens, and the one that is shown. */
  readonly ways: ReadonlySignal<ReadonlyMap<Unit, Starts>>;
  readonly unit: ReadonlySignal<Unit>;
  readonly starts: ReadonlySignal<Starts>;
  /** The sentence, with a token for each group. */
  readonly one: ReadonlySignal<Sentence>;
  readonly layer: ReadonlySignal<number>;
  readonly head: ReadonlySignal<number>;
  readonly rows: ReadonlySignal<readonly Row[]>;
  readonly maps: ReadonlySignal<readonly Pyramid[]>;
  readonly query: ReadonlySignal<number>;
  readonly key: ReadonlySignal<number>;
  readonly window: ReadonlySignal<Window>;
  /** Changes as more of the maps is made. */
  readonly made: Signal<number>;
}

export const SINKS = ["show", "dim", "hide"] as const;
const MOST = 256; // cells on a side of a map

export function createLook({ state, run: dropped }: Scene): Look {
  const made = embeddedRun();
  const run = computed(() => dropped.value ?? made ?? toy());
  const whole = computed(() => run.value.sentences[state.sentence.value] ?? run.value.sentences[0]);
  const ways = computed(() => waysOf(whole.value));
  const unit = computed((): Unit => {
    // Parts of a character mean nothing to a reader.
    const wanted = state.unit.value || "characters";
    return ways.value.has(wanted) ? wanted : "pieces";
  });
  const starts = computed(() => ways.value.get(unit.value)!);
  const one = computed(() => grouped(whole.value, starts.value));
  const layer = computed(() => Math.min(state.level.value, one.value.layers - 1));
  const head = computed(() => Math.min(state.head.value, one.value.heads - 1));
  const rows = computed(() =>
    Array.from({ length: one.value.heads }, (_, h) => {
      const row = rowsOf(whole.value, layer.value, h);
      return unit.value === "pieces" ? row : groupedRow(row, starts.value);
    }),
  );
  const maps = computed(() => {
    const { tokens, marks } = one.value;
    const bare = state.signs.value === "hide";
    const first = sinkOf(one.value);
    const sink = SINKS.indexOf(state.sink.value) as Part;
    const part = (token: number, key: boolean): Part =>
      bare && marks[token] > 0 ? 2 : key && token === first ? sink : 0;
    return rows.value.map((row) => new Pyramid(tokens.length, row, part));
  });
  const last = () => one.value.tokens.length - 1;
  const window = computed(() => {
    const count = last() + 1;
    const side = Math.min(state.side.value || count, count);
    const size = 2 ** Math.max(0, Math.ceil(Math.log2(side / MOST)));
    const cells = Math.ceil(side / size);
    const start = (wanted: number) => {
      const most = Math.ceil(count / size) - cells;
      return Math.max(0, Math.min(Math.round(wanted / size), most)) * size;
    };
    const all = side === count;
    const [row, column] = [all ? 0 : start(state.top.value), all ? 0 : start(state.left.value)];
    return { size, row, column, height: cells, width: cells };
  });
  return {
    state,
    run,
    ways,
    unit,
    starts,
    one,
    layer,
    head,
    rows,
    maps,
    query: computed(() => (state.query.value < 0 ? last() : Math.min(state.query.value, last()))),
    key: computed(() => Math.min(state.key.value, last())),
    window,
    made: signal(0),
  };
}

/** The first token that isn't padding: the one that collects weight that no other token wants. */
export const sinkOf = ({ marks }: Sentence): number => marks.findIndex((mark) => mark < 2);

/** One weight; NaN where masked. */
export function weightAt(look: Look, i: number, j: number): number {
  const into = new Float64Array(1);
  look.rows.value[look.head.value](i, j, j + 1, into);
  return into[0];
}

/** At most so many characters of a label, with what was left out marked. */
export function cut(label: string, most = 16): string {
  if (label.length <= most) return label;
  const signs = [...label.slice(0, 4 * most)];
  return signs.length > most ? `${signs.slice(0, most - 1).join("")}…` : label;
}

export const UPRIGHT = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/;

/** Draw a label downwards from `y`, or `up` to it: Chinese sign under sign, other writing turned. */
export function downwards({ ctx }: Pen, label: string, x: number, y: number, up = false): void {
  const signs = [...label];
  ctx.textBaseline = "middle";
  if (UPRIGHT.test(label)) {
    ctx.textAlign = "center";
    signs.forEach((sign, n) => {
      ctx.fillText(sign, x, y + 13 * (n + 0.5 - (up ? signs.length : 0)));
    });
    return;
  }
  ctx.textAlign = up ? "left" : "right";
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate(-Math.PI / 2);
  ctx.fillText(label, 0, 0);
  ctx.restore();
}

const MARKS = [null, T("special", "特殊符号"), T("padding", "填充")];

/** A token in words: its index, label, position and id. */
export function named({ tokens, positions, ids, marks }: Sentence, i: number): Text {
  const label = `\u2068${cut(tokens[i], 40)}\u2069`; // isolated: what runs right to left turns nothing around it
  const mark = MARKS[marks[i]];
  const more = (word: string, id: string, of: string, stop: string) =>
    [`${word} ${number(positions[i], 9)}`, ids.length ? `${id} ${ids[i]}` : "", of]
      .filter(Boolean)
      .join(stop);
  return T(
    `${i} “${label}” (${more("position", "id", mark?.en ?? "", ", ")})`,
    `${i}“${label}”（${more("位置", "编号", mark?.zh ?? "", "，")}）`,
  );
}
