// The settings of the scheme that is chosen, and those that all schemes share.

import type { JSX, TargetedEvent } from "preact";
import { PRECISIONS } from "../math/precision";
import type { Scene } from "../scene";
import { layersOf } from "../schemes/embedded";
import { offered, schemeOf } from "../schemes/registry";
import { FIELDS, type FieldName, SCALINGS } from "../state/fields";
import { setText } from "../state/state";
import { number, same, say, T, type Text } from "../words";

interface Entry {
  readonly label: Text;
  readonly hint?: Text;
  /** Choices with their names; a number where there are none. */
  readonly options?: readonly (readonly [string, Text])[];
  readonly least?: number;
  readonly most?: number;
  readonly step?: number | "any";
}

const SCALING_NAMES: Record<string, Text> = {
  default: T("none", "不缩放"),
  linear: T("linear (position interpolation)", "linear（位置内插）"),
  ntk: same("NTK"),
  dynamic: T("dynamic NTK", "动态 NTK"),
  yarn: same("YaRN"),
  llama3: same("Llama 3"),
  longrope: same("LongRoPE"),
  proportional: T("proportional (p-RoPE)", "proportional（p-RoPE）"),
};

const ENTRIES: Partial<Record<FieldName, Entry>> = {
  dim: {
    label: T("Dimensions", "维度"),
    hint: T("two a hand", "两维一根指针"),
    least: 2,
    most: 1024,
    step: 2,
  },
  base: { label: T("Base", "底数 (base)"), least: 1.01, most: 1e12, step: "any" },
  exponent: {
    label: T("Exponent", "指数"),
    options: [
      ["2i/d", T("2i/d, as printed", "2i/d，论文写法")],
      ["i/(d/2-1)", T("i/(d/2−1), tensor2tensor", "i/(d/2−1)，tensor2tensor")],
    ],
  },
  arrangement: {
    label: T("Order of dimensions", "各维的次序"),
    options: [
      ["interleaved", T("sin, cos, sin, cos …", "sin、cos、sin、cos……")],
      ["concatenated", T("all sin, then all cos", "先全部 sin，再全部 cos")],
    ],
  },
  first: {
    label: T("First", "谁在前"),
    options: [
      ["sin", T("sine", "正弦 sin")],
      ["cos", T("cosine", "余弦 cos")],
    ],
  },
  layout: {
    label: T("Layout of pairs", "排列方式"),
    options: [
      ["half", T("half: (i, i + d/2)", "前后对半：(i, i + d/2)")],
      ["interleaved", T("interleaved: (2i, 2i + 1)", "交错：(2i, 2i + 1)")],
    ],
  },
  scaling: { label: T("Scaling", "缩放"), options: SCALINGS.map((each) => [each, SCALING_NAMES[each]]) },
  factor: { label: T("Factor", "缩放因子"), least: 1, most: 1024, step: "any" },
  trained: { label: T("Trained length", "训练长度"), hint: T("tokens", "词元"), least: 2, most: 1e6 },
  slow: { label: T("Slow below (turns)", "少于几圈算慢针"), least: 0.01, most: 1000, step: "any" },
  fast: { label: T("Fast above (turns)", "多于几圈算快针"), least: 0.02, most: 1000, step: "any" },
  betaFast: { label: T("beta_fast (turns)", "beta_fast（圈）"), least: 0.02, most: 1000, step: "any" },
  betaSlow: { label: T("beta_slow (turns)", "beta_slow（圈）"), least: 0.01, most: 1000, step: "any" },
  truncate: {
    label: T("Ends of the ramp", "过渡段两端"),
    options: [
      ["true", T("whole pairs", "取整到维度对")],
      ["false", T("as computed", "不取整")],
    ],
  },
  share: { label: T("Share that turns", "转动的比例"), least: 0, most: 1, step: "any" },
  heads: { label: T("Heads", "注意力头数"), least: 1, most: 128 },
  buckets: { label: T("Buckets", "桶数"), least: 4, most: 256, step: 2 },
  far: { label: T("Last bucket from", "最后一桶起点"), hint: T("tokens", "词元"), least: 4, most: 4096 },
  both: {
    label: T("Keys ahead", "后面的键"),
    options: [
      ["false", T("masked (decoder)", "遮住（解码器）")],
      ["true", T("seen (encoder)", "可见（编码器）")],
    ],
  },
  head: { label: T("Head", "注意力头"), least: 0, most: 127 },
  rows: { label: T("Rows", "行数"), least: 1, most: 16384 },
  seed: { label: T("Seed", "随机种子"), least: 0, most: 9999 },
  context: { label: T("Context", "上下文长度"), hint: T("tokens", "词元"), least: 2, most: 1e6 },
  line: { label: T("Weight of even spacing", "等距频率的权重"), least: 0, most: 1, step: "any" },
  moves: { label: T("Share that turns", "转动的比例"), least: 0, most: 1, step: "any" },
  layers: { label: T("Layers", "层数"), least: 1, most: 256 },
  depth: { label: T("Layer shown", "显示第几层"), hint: T("from 0", "从 0 起"), least: 0, most: 255 },
  dtype: { label: T("Precision", "精度"), options: PRECISIONS.map((each) => [each, same(each)]) },
};

const SCHEME = T("Scheme", "方案");
const LAYERS = T("Layers", "层");

export function Settings({ scene }: { scene: Scene }) {
  const { state, side } = scene;
  const held = { model: scene.model.value, queries: scene.queries.value };
  const { model } = held;
  const scheme = schemeOf(state, held);
  const shared = side ? [] : (["context", "dtype"] as const); // said once for both
  return (
    <form class="settings" onSubmit={(event) => event.preventDefault()}>
      <Labelled label={SCHEME} name={`scheme${side}`}>
        <select
          id={`set-scheme${side}`}
          value={scheme.id}
          onChange={(event) => setText(state, "scheme", event.currentTarget.value)}
        >
          {offered(held).map(({ id, name }) => (
            <option key={id} value={id}>
              {id === "model" ? model?.name : say(name)}
            </option>
          ))}
        </select>
      </Labelled>
      {scheme.id === "model" && model && model.layers.length > 1 ? (
        <Labelled label={LAYERS} name={`layer${side}`}>
          <select
            id={`set-layer${side}`}
            value={String(state.layer.value)}
            onChange={(event) => setText(state, "layer", event.currentTarget.value)}
          >
            {model.layers.map((form, place) => (
              <option key={place} value={String(place)}>
                {say(layersOf(form))}
              </option>
            ))}
          </select>
        </Labelled>
      ) : null}
      {[...scheme.settings(state), ...shared].map((name) => (
        <Setting key={name} scene={scene} name={name} />
      ))}
    </form>
  );
}

export function Setting({ scene, name }: { scene: Scene; name: FieldName }) {
  const entry = ENTRIES[name];
  if (!entry) throw new Error(`the setting ${name} has no words`);
  const value = String(scene.state[name].value);
  const take = (event: TargetedEvent<HTMLInputElement | HTMLSelectElement>) => {
    setText(scene.state, name, event.currentTarget.value);
    event.currentTarget.value = String(scene.state[name].value); // what was out of bounds is brought within
  };
  return (
    <Labelled label={entry.label} hint={entry.hint} name={`${name}${scene.side}`}>
      {entry.options ? (
        <select id={`set-${name}${scene.side}`} value={value} onChange={take}>
          {entry.options.map(([id, text]) => (
            <option key={id} value={id}>
              {say(text)}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={`set-${name}${scene.side}`}
          type="number"
          inputMode="decimal"
          min={entry.least}
          max={entry.most}
          step={entry.step ?? 1}
          value={value}
          title={bounds(entry, name)}
          onChange={take}
        />
      )}
    </Labelled>
  );
}

function bounds(entry: Entry, name: FieldName): string {
  const usual = FIELDS[name].initial;
  const [least, most] = [number(entry.least ?? 0), number(entry.most ?? 0)];
  return say(T(`${least} to ${most}; usually ${usual}`, `${least} 到 ${most}；通常为 ${usual}`));
}

function Labelled(props: { label: Text; hint?: Text; name: string; children: JSX.Element }) {
  return (
    <div class="field">
      <label for={`set-${props.name}`}>
        {say(props.label)}
        {props.hint ? <small> {say(props.hint)}</small> : null}
      </label>
      {props.children}
    </div>
  );
}
