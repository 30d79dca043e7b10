// Where the single-file page starts.

import { render } from "preact";
import { App } from "./app";
import { createScene } from "./scene";
import { fromFragment } from "./state/state";
import { language } from "./words";

const made = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
const scene = createScene();
if (scene.model) beginWithModel();
fromFragment(scene.state, location.hash);
language.value = scene.state.lang.value || made;
render(<App scene={scene} made={made} />, document.getElementById("clockhands")!);

// A page made for a model shows it first, unless a link says otherwise.
function beginWithModel(): void {
  if (location.hash.length > 1) return;
  const length = scene.model?.context.promised ?? scene.model?.context.trained;
  const context = length ? `&context=${length}` : "";
  history.replaceState(null, "", `#scheme=model${context}`);
}
