// The instrument: settings, the shared position, and every view of the scheme, or of two side by side.

import { Settings } from "./controls/settings";
import { Transport } from "./controls/transport";
import { Bring } from "./files/drop";
import { type Scene, together } from "./scene";
import { Difference } from "./views/map";
import { VIEWS } from "./views/registry";
import { Shown } from "./views/shown";
import type { View } from "./views/view";
import { say, T } from "./words";

const ABSENT = T("Nothing to see for this scheme", "这个方案没有的图");
const BESIDE = T("Compare with a second scheme", "与第二个方案并排比较");
const ALONE = T("One scheme only", "只看一个方案");
const DIFFERENCE = T("Difference of the maps", "两张图之差");
const LESS = T(
  "The first scheme's map minus the second's. Where both agree on a pair, there is no colour.",
  "第一个方案的图减去第二个的。两者相同的地方没有颜色。",
);

export function Instrument({ scene }: { scene: Scene }) {
  const { two } = scene.state;
  const scenes = together(scene);
  const lacking = (view: View) => scenes.every((each) => view.lacks(each.subject.value));
  const shown = VIEWS.filter((view) => !lacking(view));
  const absent = VIEWS.filter((view) => !view.rare && lacking(view));
  return (
    <>
      <div class={two.value ? "pair" : ""}>
        {scenes.map((each) => (
          <div class="panel" key={each.side}>
            <Settings scene={each} />
            <Idea scene={each} />
            <Bring scene={each} />
          </div>
        ))}
      </div>
      <p class="tools beside">
        <button
          type="button"
          data-control="two"
          aria-pressed={two.value}
          onClick={() => {
            two.value = !two.value;
          }}
        >
          {say(two.value ? ALONE : BESIDE)}
        </button>
      </p>
      <Transport scene={scene} />
      <div class={two.value ? "views wide" : "views"}>
        {shown.map((view) => (
          <Shown key={view.id} view={view} scenes={scenes} />
        ))}
        {two.value ? (
          <section class="view" id="view-difference" aria-labelledby="name-difference">
            <h2 id="name-difference">{say(DIFFERENCE)}</h2>
            <p class="lead">{say(LESS)}</p>
            <Difference scene={scenes[0]} other={scenes[1]} />
          </section>
        ) : null}
      </div>
      {absent.length ? (
        <section class="absent" aria-labelledby="absent">
          <h2 id="absent">{say(ABSENT)}</h2>
          <dl>
            {absent.map((view) => (
              <div key={view.id} id={`view-${view.id}`}>
                <dt>{say(view.name)}</dt>
                <dd>{say(view.lacks(scene.subject.value)!)}</dd>
              </div>
            ))}
          </dl>
        </section>
      ) : null}
    </>
  );
}

function Idea({ scene }: { scene: Scene }) {
  const { title, idea, caution } = scene.subject.value;
  return (
    <div class="idea">
      <h2>{say(title)}</h2>
      <p>{say(idea)}</p>
      {caution ? <p class="caution">{say(caution)}</p> : null}
    </div>
  );
}
