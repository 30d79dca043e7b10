// Where the single-file page starts.

import { render } from "preact";
import { App } from "./app";
import { createScene } from "./scene";
import { embeddedModel } from "./state/model";
import { fromFragment } from "./state/state";
import { language } from "./words";

const made = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
const scene = createScene(embeddedModel());
const start = document.getElementById("clockhands-start")?.textContent ?? "";
fromFragment(scene.state, location.hash || start);
language.value = scene.state.lang.value || made;
render(<App scene={scene} made={made} start={start} />, document.getElementById("clockhands")!);
