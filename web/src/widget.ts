// The widget's front end (https://anywidget.dev/en/afm): the whole page in a frame that nothing of the notebook
// reaches into, and that reaches nothing itself. Styles, names and keys of several widgets can't collide.

interface Model {
  get(name: "page" | "state" | "label"): string;
  get(name: "height"): number;
  set(name: "state", value: string): void;
  save_changes(): void;
  on(event: string, act: () => void): void;
  off(event: string, act: () => void): void;
}

const FRAME = "clockhands-widget"; // the page looks for this name: src/state/host.ts

/** Light or dark, as JupyterLab and VS Code mark their pages; else by the ink on them, in whatever notation. */
function themeAround(element: Element): "light" | "dark" {
  const { jpThemeLight, vscodeThemeKind } = document.body.dataset;
  if (jpThemeLight) return jpThemeLight === "false" ? "dark" : "light";
  if (vscodeThemeKind) return vscodeThemeKind.includes("light") ? "light" : "dark";
  const brush = document.createElement("canvas").getContext("2d");
  if (!brush) return "light";
  brush.fillStyle = getComputedStyle(element).color;
  brush.fillRect(0, 0, 1, 1);
  const [r, g, b] = brush.getImageData(0, 0, 1, 1).data;
  return 0.3 * r + 0.6 * g + 0.1 * b > 140 ? "dark" : "light"; // light ink is on a dark page
}

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const frame = document.createElement("iframe");
  frame.name = FRAME;
  frame.title = model.get("label");
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.style.cssText = "display:block;width:100%;border:0;border-radius:8px";
  let known = "";
  const say = (message: object) => frame.contentWindow?.postMessage(message, "*");
  const resize = () => {
    frame.style.height = `${model.get("height")}px`;
  };
  const tell = () => {
    const state = model.get("state");
    if (state === known) return;
    known = state;
    say({ clockhands: "state", state });
  };
  const colour = () => say({ clockhands: "theme", theme: themeAround(el) });
  const hear = ({ source, data }: MessageEvent) => {
    if (source !== frame.contentWindow || source === null) return;
    if (data?.clockhands === "ready") {
      known = "";
      colour();
      tell();
    }
    if (data?.clockhands === "state" && typeof data.state === "string" && data.state !== known) {
      known = data.state;
      model.set("state", known);
      model.save_changes();
    }
  };
  const load = () => {
    frame.srcdoc = model.get("page");
  };
  const watch = new MutationObserver(colour);
  for (const marked of [document.documentElement, document.body]) watch.observe(marked, { attributes: true });
  addEventListener("message", hear);
  model.on("change:state", tell);
  model.on("change:height", resize);
  model.on("change:page", load);
  resize();
  load();
  el.appendChild(frame);
  return () => {
    watch.disconnect();
    removeEventListener("message", hear);
    model.off("change:state", tell);
    model.off("change:height", resize);
    model.off("change:page", load);
    frame.remove();
  };
}

export default { render };
