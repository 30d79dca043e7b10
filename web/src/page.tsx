// Where the single-file page starts.

import { render } from "preact";
import { App } from "./app";
import { createScene } from "./scene";
import { embeddedModel } from "./state/model";
import { fromFragment } from "./state/state";
import { language } from "./words";

const made = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
const root = document.getElementById("clockhands")!;
const lesson = document.getElementById("lesson");
lesson?.remove(); // its room puts it back
const scene = createScene(embeddedModel(), lesson);
const start = document.getElementById("clockhands-start")?.textContent ?? "";
fromFragment(scene.state, location.hash || start);
language.value = scene.state.lang.value || made;
render(<App scene={scene} made={made} start={start} />, root);

// A browser readies the page's own Chinese glyphs where the system has none. Chromium leaves bold text that was
// set before in boxes until they come first.
document.fonts?.addEventListener("loadingdone", () => {
  document.body.style.fontFamily = `"clockhands han", ${getComputedStyle(document.body).fontFamily}`;
});
