// The room of one's own design: a ladder that is bent, what it is good for, and the Python that makes it.

import { batch, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Setting } from "../controls/settings";
import { Transport } from "../controls/transport";
import { type Point, written } from "../math/ladder";
import { designed, type Scene } from "../scene";
import { ladderOf } from "../schemes/design";
import { setText } from "../state/state";
import { clock } from "../views/clock";
import { kernel } from "../views/kernel";
import { precision } from "../views/precision";
import { score } from "../views/score";
import { Shown } from "../views/shown";
import { say, T } from "../words";
import { Editor } from "./editor";
import { atRandom, BENDS, DEEPER, PLAIN, PRESETS, type Start } from "./presets";
import { pythonOf } from "./python";

const FIELDS = [...BENDS, "dim"] as const;
const VIEWS = [score, kernel, clock, precision];
const MOST_STEPS = 200;
const RANDOM = T("Random", "随机");
const UNDO = T("Undo", "撤销");
const REDO = T("Redo", "重做");
const START = T("Start from", "从这里开始");
const FIRST = T("First layer", "第一层");
const LAST = T("Last layer", "最后一层");
const BENT = T("Ladder to bend", "要弯的阶梯");
const APART = T("Layers differ", "各层不同");
const SHOW = T("See it in the instrument", "在仪器里看");
const COPY = T("Copy the Python", "复制 Python 代码");
const COPIED = T("Copied", "已复制");
const BY_HAND = T("Select it and copy it", "请选中后复制");
const CODE = T("Python that makes it", "生成它的 Python 代码");

export function Design({ scene: given }: { scene: Scene }) {
  const scene = useMemo(() => designed(given), [given]);
  const { state } = scene;
  const past = useSignal<readonly string[]>([]);
  const future = useSignal<readonly string[]>([]);
  const deepest = useSignal(false); // whether the last layer's ladder is bent
  const snapshot = () => FIELDS.map((name) => String(state[name].peek())).join("&");
  const back = (text: string) => {
    for (const [k, each] of text.split("&").entries()) setText(state, FIELDS[k], each);
  };
  const remember = () => {
    past.value = [...past.value, snapshot()].slice(-MOST_STEPS);
    future.value = [];
  };
  const change = (name: "bend" | "deep", points: readonly Point[], fresh: boolean) =>
    batch(() => {
      if (fresh) remember();
      state[name].value = written(points);
    });
  const swap = (from: typeof past, to: typeof past) => {
    const last = from.value.at(-1);
    if (last === undefined) return;
    batch(() => {
      to.value = [...to.value, snapshot()];
      from.value = from.value.slice(0, -1);
      back(last);
    });
  };
  const begin = (values: Start) =>
    batch(() => {
      remember();
      for (const name of BENDS) setText(state, name, values[name] ?? PLAIN[name]);
      deepest.value = false;
    });
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.target instanceof HTMLInputElement) return;
      const letter = event.key.toLowerCase();
      if (letter !== "z" && letter !== "y") return;
      event.preventDefault();
      if (letter === "y" || event.shiftKey) swap(future, past);
      else swap(past, future);
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  });
  const ladder = useMemo(
    () => ladderOf(state),
    BENDS.map((name) => state[name].value),
  );
  const differ = ladder.deep.length > 0;
  const name = differ && deepest.value ? "deep" : "bend";
  const code = pythonOf(state.dim.value, ladder);
  return (
    <>
      <div class="panel">
        <div>
          {/* biome-ignore lint/a11y/useSemanticElements: buttons, no fields of a form */}
          <div class="tools presets" role="group" aria-label={say(START)}>
            <span class="note">{say(START)}</span>
            {PRESETS.map(([id, text, values]) => (
              <button key={id} type="button" data-preset={id} onClick={() => begin(values)}>
                {say(text)}
              </button>
            ))}
            <button type="button" data-preset="random" onClick={() => begin(atRandom(past.value.length + 1))}>
              {say(RANDOM)}
            </button>
          </div>
          <div class="tools">
            <button
              type="button"
              data-control="undo"
              aria-disabled={!past.value.length}
              onClick={() => swap(past, future)}
            >
              {say(UNDO)}
            </button>
            <button
              type="button"
              data-control="redo"
              aria-disabled={!future.value.length}
              onClick={() => swap(future, past)}
            >
              {say(REDO)}
            </button>
            {differ ? (
              <>
                <label for="which-ladder">{say(BENT)}</label>
                <select
                  id="which-ladder"
                  value={name}
                  onChange={(event) => {
                    deepest.value = event.currentTarget.value === "deep";
                  }}
                >
                  <option value="bend">{say(FIRST)}</option>
                  <option value="deep">{say(LAST)}</option>
                </select>
              </>
            ) : null}
          </div>
          <Editor
            scene={scene}
            points={ladder[name]}
            others={differ ? ladder[name === "bend" ? "deep" : "bend"] : NONE}
            change={(points, fresh) => change(name, points, fresh)}
          />
        </div>
        <div>
          {/* Settings remember the step before them, so that undo takes it back. */}
          <form
            class="settings"
            onSubmit={(event) => event.preventDefault()}
            onChangeCapture={(event) => (event.target as Element).id !== "set-context" && remember()}
          >
            {(
              ["dim", "line", "moves", ...(differ ? (["layers", "depth"] as const) : []), "context"] as const
            ).map((each) => (
              <Setting key={each} scene={scene} name={each} />
            ))}
          </form>
          <div class="tools">
            <button
              type="button"
              aria-pressed={differ}
              data-control="by-layer"
              onClick={() =>
                batch(() => {
                  remember();
                  setText(state, "deep", differ ? "" : DEEPER);
                  if (!differ && state.layers.value < 2) setText(state, "layers", "12");
                })
              }
            >
              {say(APART)}
            </button>
            <button
              type="button"
              onClick={() =>
                batch(() => {
                  setText(state, "scheme", "design");
                  setText(state, "room", "instrument");
                })
              }
            >
              {say(SHOW)}
            </button>
          </div>
          <Code code={code} />
        </div>
      </div>
      <Transport scene={scene} />
      <div class="views">
        {VIEWS.map((view) => (
          <Shown key={view.id} view={view} scenes={[scene]} />
        ))}
      </div>
    </>
  );
}

const NONE: readonly Point[] = [];

function Code({ code }: { code: string }) {
  const said = useSignal("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(code);
      said.value = say(COPIED);
    } catch {
      said.value = say(BY_HAND); // not allowed here, or no clipboard at all
    }
  };
  return (
    <>
      <h3>{say(CODE)}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre tabIndex={0} data-code lang="en">
        {code}
      </pre>
      <div class="tools">
        <button type="button" onClick={copy}>
          {say(COPY)}
        </button>
        <span role="status">{said.value}</span>
      </div>
    </>
  );
}
