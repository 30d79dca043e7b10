// The room of attention: all heads of a layer small, one of them large.

import { useMemo } from "preact/hooks";
import { Canvas } from "../draw/canvas";
import type { Scene } from "../scene";
import type { FieldName } from "../state/fields";
import { setText } from "../state/state";
import { number, same, say, T, type Text } from "../words";
import { Arcs } from "./arcs";
import { weigh } from "./colours";
import { createLook, cut, type Look, SINKS } from "./look";
import { HeadMap } from "./map";
import { SIDE } from "./weights";

const HEADS = T("Heads", "注意力头");
const MAP = T("Head", "头");
const WARNING = T(
  "A weight says where a head looks. It is not importance: what is taken from there depends on the values, and " +
    "later layers may undo it.",
  "权重只说明注意力头看向哪里，不等于重要性：从那里取到什么还要看“值”，后面的层也可能把它抵消。",
);
const MAKE = T(
  "No run is in this page, so this is a toy. Drop a file here that clockhands attend wrote, or make a page " +
    "with one: clockhands page --attention out",
  "页面里没有训练结果，所以这里是一个玩具。把 clockhands attend 写出的文件拖到这里，" +
    "或者生成带结果的页面：clockhands page --attention out",
);

const HIDE = T("hide", "隐藏");
const SHOW = T("show", "显示");

export function Explorer({ scene }: { scene: Scene }) {
  const look = useMemo(() => createLook(scene), [scene]);
  const run = look.run.value;
  const one = look.one.value;
  const names = Array.from({ length: one.layers }, (_, n): [string, Text] => [String(n), same(n)]);
  return (
    <div class="views heads">
      <section class="view" aria-labelledby="name-heads">
        <h2 id="name-heads">{say(HEADS)}</h2>
        <p class="lead">{say(one.name ?? run.title)}</p>
        {run.toy ? <p class="note">{say(MAKE)}</p> : null}
        <form class="settings" onSubmit={(event) => event.preventDefault()}>
          <Pick
            look={look}
            name="sentence"
            label={T("Sentence", "句子")}
            options={run.sentences.map(({ tokens, name }, n) => [
              String(n),
              same(`${n + 1} ${name ? `${say(name)}: ` : ""}${cut(tokens.slice(0, 16).join(""), 12)}`),
            ])}
          />
          {one.layers > 1 ? <Pick look={look} name="level" label={T("Layer", "层")} options={names} /> : null}
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
              label={T("A cell of many pairs", "一格含多对词元时")}
              options={[
                ["max", T("largest weight", "取最大")],
                ["mean", T("mean weight", "取平均")],
              ]}
            />
          ) : null}
        </form>
        <div class="thumbs">
          {look.rows.value.map((_, head) => (
            <Thumb key={head} look={look} head={head} />
          ))}
        </div>
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
        <h2 id="name-head">
          {say(MAP)} {look.head.value}
        </h2>
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
}

function Pick({ look, name, label, options }: Choice) {
  return (
    <div class="field">
      <label for={`look-${name}`}>{say(label)}</label>
      <select
        id={`look-${name}`}
        value={String(look.state[name].value)}
        onChange={(event) => setText(look.state, name, event.currentTarget.value)}
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

const square = (width: number) => width;

function Thumb({ look, head }: { look: Look; head: number }) {
  const name = say(T(`head ${head}`, `头 ${head}`));
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
    </button>
  );
}
