// The instrument: settings, the shared position, and every view of the scheme.

import { Settings } from "./controls/settings";
import { Transport } from "./controls/transport";
import type { Scene } from "./scene";
import { VIEWS } from "./views/registry";
import type { View } from "./views/view";
import { say, T, told } from "./words";

const ABSENT = T("Nothing to see for this scheme", "这个方案没有的图");

export function Instrument({ scene }: { scene: Scene }) {
  const subject = scene.subject.value;
  const shown = VIEWS.filter((view) => !view.lacks(subject));
  const absent = VIEWS.filter((view) => view.lacks(subject));
  return (
    <>
      <div class="panel">
        <Settings scene={scene} />
        <Idea scene={scene} />
      </div>
      <Transport scene={scene} />
      <div class="views">
        {shown.map((view) => (
          <Shown key={view.id} view={view} scene={scene} />
        ))}
      </div>
      {absent.length ? (
        <section class="absent" aria-labelledby="absent">
          <h2 id="absent">{say(ABSENT)}</h2>
          <dl>
            {absent.map((view) => (
              <div key={view.id} id={`view-${view.id}`}>
                <dt>{say(view.name)}</dt>
                <dd>{say(view.lacks(subject)!)}</dd>
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

function Shown({ view, scene }: { view: View; scene: Scene }) {
  const { caution } = scene.subject.value;
  return (
    <section class="view" id={`view-${view.id}`} aria-labelledby={`name-${view.id}`}>
      <h2 id={`name-${view.id}`}>{say(view.name)}</h2>
      <p class="lead">{told(view.id)}</p>
      <view.Body scene={scene} />
      {caution && !view.ofPositions ? <p class="caution">{say(caution)}</p> : null}
    </section>
  );
}
