// The instrument: settings, the shared position, and every view of the scheme.

import { Settings } from "./controls/settings";
import { Transport } from "./controls/transport";
import type { Scene } from "./scene";
import { VIEWS } from "./views/registry";
import type { View } from "./views/view";
import { say } from "./words";

export function Instrument({ scene }: { scene: Scene }) {
  return (
    <>
      <div class="panel">
        <Settings scene={scene} />
        <Idea scene={scene} />
      </div>
      <Transport scene={scene} />
      <div class="views">
        {VIEWS.map((view) => (
          <Shown key={view.id} view={view} scene={scene} />
        ))}
      </div>
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
  const subject = scene.subject.value;
  const lacks = view.lacks(subject);
  return (
    <section class="view" id={`view-${view.id}`} aria-labelledby={`name-${view.id}`}>
      <h2 id={`name-${view.id}`}>{say(view.name)}</h2>
      {lacks ? null : <p class="lead">{say(view.lead)}</p>}
      {lacks ? <p class="lacks">{say(lacks)}</p> : <view.Body scene={scene} />}
      {!lacks && subject.caution ? <p class="caution">{say(subject.caution)}</p> : null}
    </section>
  );
}
