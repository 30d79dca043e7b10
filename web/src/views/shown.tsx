// A view as it stands in a room: its name, what to look for, and the picture of one scheme or of two.

import type { Scene } from "../scene";
import { say } from "../words";
import type { View } from "./view";

export function Shown({ view, scenes }: { view: View; scenes: readonly Scene[] }) {
  return (
    <section class="view" id={`view-${view.id}`} aria-labelledby={`name-${view.id}`}>
      <h2 id={`name-${view.id}`}>{say(view.name)}</h2>
      <p class="lead">{say(view.lead)}</p>
      {scenes.length === 1 ? (
        <Body view={view} scene={scenes[0]} />
      ) : (
        <div class="pair">
          {scenes.map((each) => (
            <div key={each.side} data-side={each.side}>
              <h3>
                {each.side ? "B" : "A"} · {say(each.subject.value.title)}
              </h3>
              <Body view={view} scene={each} />
            </div>
          ))}
        </div>
      )}
    </section>
  );
}

function Body({ view, scene }: { view: View; scene: Scene }) {
  const { caution } = scene.subject.value;
  const lacks = view.lacks(scene.subject.value);
  if (lacks) return <p class="note">{say(lacks)}</p>;
  return (
    <>
      <view.Body scene={scene} />
      {caution && !view.ofPositions ? <p class="caution">{say(caution)}</p> : null}
    </>
  );
}
