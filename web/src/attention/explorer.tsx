// The room of attention: all heads of a layer small, one of them large.

import { batch } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Table } from "../controls/table";
import { Canvas } from "../draw/canvas";
import type { Scene } from "../scene";
import type { FieldName } from "../state/fields";
import { setText } from "../state/state";
import type { Rows } from "../tables/rows";
import { number, percent, same, say, T, type Text } from "../words";
import { Arcs } from "./arcs";
import { weigh } from "./colours";
import { EVEN, habitOf, type Unit } from "./groups";
import { createLook, cut, type Look, SINKS, sinkOf } from "./look";
import { HeadMap } from "./map";
import { SIDE } from "./weights";

const UNITS: Record<Unit, Text> = {
  pieces: T("the model's tokens", "模型的词元"),
  characters: T("whole characters", "完整的字"),
  words: T("words", "词"),
};
const JOINED = T(
  "Pieces that belong together are one row and one column: of a row's pieces the mean is taken, of a column's the sum, " +
    "so that a row still sums to one.",
  "同属一个单位的词元合成一行一列：行取平均，列取总和，所以每行的和仍然是 1。",
);
const WARNING = T(
  "A weight says where a head looks. It is not importance: what is taken from there depends on the values, and " +
    "later layers may undo it.",
  "权重只说明注意力头看向哪里，不等于重要性：从那里取到什么还要看“值”，后面的层也可能把它抵消。",
);
const MAKE = T(
  "This page holds no run of a model, so here is a toy. Drop a file here that clockhands attend wrote, or make a " +
    "page that holds one: clockhands page --attention out",
  "这个页面里没有模型的结果，所以先放一个玩具。把 clockhands attend 写出的文件拖到这里，" +
    "或者生成带结果的页面：clockhands page --attention out",
);

const HEADS = T("Heads, and where most of their weight is", "注意力头，以及大部分权重落在哪里");
const HIDE = T("hide", "隐藏");
const SHOW = T("show", "显示");

export function Explorer({ scene }: { scene: Scene }) {
  const look = useMemo(() => createLook(scene), [scene]);
  const run = look.run.value;
  const one = look.one.value;
  const names = Array.from({ length: one.layers }, (_, n): [string, Text] => {
    const end = n === 0 ? T(", the first", "（第一层）") : T(", the last", "（最后一层）");
    const { en, zh } = n % (one.layers - 1) ? same("") : end;
    return [String(n), T(`${n}${en}`, `${n}${zh}`)];
  });
  const layer = one.layers > 1 ? look.layer.value : null;
  const large = named(layer, look.head.value);
  return (
    <div class="views heads">
      <section class="view" aria-labelledby="name-heads">
        <h2 id="name-heads">
          {say(
            layer === null
              ? T("Heads", "注意力头")
              : T(`Heads of layer ${layer}`, `第 ${layer} 层的注意力头`),
          )}
        </h2>
        <p class="lead">{say(one.name ?? run.title)}</p>
        {run.toy ? <p class="note">{say(MAKE)}</p> : null}
        <form class="settings" onSubmit={(event) => event.preventDefault()}>
          <Pick
            look={look}
            name="sentence"
            label={T("Sentence", "句子")}
            options={run.sentences.map(({ text, tokens, name }, n) => {
              const label = cut(text || tokens.slice(0, 16).join(""), 32);
              return [
                String(n),
                name
                  ? T(`${n + 1} ${name.en}: ${label}`, `${n + 1} ${name.zh}：${label}`)
                  : same(`${n + 1} ${label}`),
              ];
            })}
          />
          {one.layers > 1 ? <Pick look={look} name="level" label={T("Layer", "层")} options={names} /> : null}
          {look.ways.value.size > 1 ? (
            <Pick
              look={look}
              name="unit"
              label={T("Rows and columns", "行列单位")}
              options={[...look.ways.value.keys()].map((id) => [id, UNITS[id]])}
              value={look.unit.value}
              choose={(id) => regroup(look, id as Unit)}
            />
          ) : null}
          <Pick
            look={look}
            name="shade"
            label={T("Colours", "颜色")}
            options={[
              ["linear", T("linear", "线性")],
              ["log", T("logarithmic", "对数")],
              ["rank", T("rank in the row", "行内名次")],
            ]}
          />
          <Pick
            look={look}
            name="shared"
            label={T("Scale", "标尺")}
            options={[
              ["true", T("one for all heads", "各头共用")],
              ["false", T("each head its own", "各头自用")],
            ]}
          />
          <Pick
            look={look}
            name="sink"
            label={T("First token (sink)", "首个词元（注意力汇）")}
            options={SINKS.map((id) => [id, { show: SHOW, dim: T("dim", "变淡"), hide: HIDE }[id]])}
          />
          {one.marks.some(Boolean) ? (
            <Pick
              look={look}
              name="signs"
              label={T("Special and padding", "特殊符号与填充")}
              options={[
                ["show", SHOW],
                ["hide", HIDE],
              ]}
            />
          ) : null}
          {one.tokens.length > 256 ? (
            <Pick
              look={look}
              name="pool"
              label={T("A cell of many pairs shows", "一格含多对词元时")}
              options={[
                ["max", T("largest weight", "取最大")],
                ["mean", T("mean weight", "取平均")],
              ]}
            />
          ) : null}
        </form>
        {look.unit.value === "pieces" ? null : <p class="note">{say(JOINED)}</p>}
        <div class="thumbs">
          {look.rows.value.map((_, head) => (
            <Thumb key={head} look={look} head={head} />
          ))}
        </div>
        <Table name="heads" caption={say(HEADS)} make={() => headsOf(look)} />
        {one.error === null ? null : (
          <p class="note">
            {say(
              T(
                `Weights are within ${number(one.error, 2)} of the model's own.`,
                `这里的权重与模型自己的最多相差 ${number(one.error, 2)}。`,
              ),
            )}
          </p>
        )}
      </section>
      <section class="view" aria-labelledby="name-head">
        <h2 id="name-head">{say(large)}</h2>
        <Habit look={look} head={look.head.value} />
        <p class="caution">{say(WARNING)}</p>
        <HeadMap look={look} />
        <Arcs look={look} />
      </section>
    </div>
  );
}

interface Choice {
  readonly look: Look;
  readonly name: FieldName;
  readonly label: Text;
  readonly options: readonly (readonly [string, Text])[];
  /** What is chosen and what choosing does, where it isn't simply the setting. */
  readonly value?: string;
  readonly choose?: (id: string) => void;
}

function Pick({ look, name, label, options, value, choose }: Choice) {
  return (
    <div class="field">
      <label for={`look-${name}`}>{say(label)}</label>
      <select
        id={`look-${name}`}
        value={value ?? String(look.state[name].value)}
        onChange={({ currentTarget: { value } }) =>
          choose ? choose(value) : setText(look.state, name, value)
        }
      >
        {options.map(([id, text]) => (
          <option key={id} value={id}>
            {say(text)}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Show other groups, the same token still looked at. */
function regroup({ state, starts, query, key, ways }: Look, unit: Unit): void {
  const [from, to] = [starts.peek(), ways.peek().get(unit)!];
  const place = (group: number) => to.findIndex((_, k) => to[k + 1] > from[group]);
  const [i, j] = [place(query.peek()), place(key.peek())];
  batch(() => {
    state.unit.value = unit;
    state.side.value = 0;
    state.query.value = i;
    state.key.value = j;
  });
}

/** The name of a head: its number, and its layer's where there are several. */
const named = (layer: number | null, head: number): Text =>
  layer === null
    ? T(`Head ${head}`, `${head} 号头`)
    : T(`Layer ${layer}, head ${head}`, `第 ${layer} 层 ${head} 号头`);

const habit = (look: Look, head: number) =>
  habitOf(look.rows.value[head], look.one.value, sinkOf(look.one.value));

/** What stands below the small maps, and how much of the weight it is. */
function headsOf(look: Look): Rows {
  return {
    head: [T("head", "头"), T("looks at", "看向"), T("share of its weight", "占权重")],
    count: look.rows.value.length,
    row: (head) => {
      const found = habit(look, head);
      return [String(head), found ? say(found.name) : "–", found ? percent(found.share) : "–"];
    },
  };
}

/** What a head mostly looks at, in a sentence. */
function Habit({ look, head }: { look: Look; head: number }) {
  const found = useMemo(() => habit(look, head), [look.rows.value[head], look.one.value]);
  if (!found)
    return <p class="lead">{say(T("No single place has most of its weight.", "权重没有集中在某一处。"))}</p>;
  const { name, share } = found;
  return (
    <p class="lead">
      {say(
        found.name === EVEN
          ? T("It looks at everything nearly alike.", "它对各处几乎一视同仁。")
          : T(
              `On average ${percent(share)} of its weight is on ${name.en}.`,
              `平均有 ${percent(share)} 的权重落在${name.zh}上。`,
            ),
      )}
    </p>
  );
}

const square = (width: number) => width;

function Thumb({ look, head }: { look: Look; head: number }) {
  const found = useMemo(() => habit(look, head), [look.rows.value[head], look.one.value]);
  const name = say(named(null, head));
  const count = look.one.value.tokens.length;
  const size = 2 ** Math.max(0, Math.ceil(Math.log2(count / SIDE)));
  const cells = Math.ceil(count / size);
  return (
    <button
      type="button"
      aria-pressed={head === look.head.value}
      onClick={() => setText(look.state, "head", String(head))}
    >
      <Canvas
        key={`${count}`}
        name={`head-${head}`}
        height={square}
        label={name}
        bare
        base={(pen) =>
          head < look.maps.value.length && // a run with fewer heads takes this one away
          weigh(
            pen,
            look,
            head,
            { size, row: 0, column: 0, height: cells, width: cells },
            { x: 0, y: 0, width: pen.width, height: pen.height },
          )
        }
      />
      {name}
      {found ? <small>{say(found.name)}</small> : null}
    </button>
  );
}
