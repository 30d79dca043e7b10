// Where the single-file page starts.

import { render } from "preact";
import { App } from "./app";
import { createScene } from "./scene";
import { embeddedModel } from "./state/model";
import { fromFragment } from "./state/state";
import { language } from "./words";

const made = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
const scene = createScene(embeddedModel());
fromFragment(scene.state, location.hash);
language.value = scene.state.lang.value || made;
render(<App scene={scene} made={made} />, document.getElementById("clockhands")!);
