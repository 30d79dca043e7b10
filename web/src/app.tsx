// The page around its rooms: the head, the bar, the language, light and dark, and the link to share.

import { effect, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { readPalette } from "./draw/palette";
import { about } from "./export/save";
import { Brought, takeAnywhere } from "./files/drop";
import { begin } from "./lesson/binding";
import { roomOf, roomsOf } from "./rooms/registry";
import type { Scene } from "./scene";
import { followAddress } from "./state/address";
import type { RoomId } from "./state/fields";
import { followHost, hosted, surrounding } from "./state/host";
import { setText, toFragment } from "./state/state";
import { type Language, language, say, T } from "./words";

const TITLE = T("How a Transformer knows position", "Transformer 怎样知道位置");
const PARTS = T("Parts of the page", "页面的各部分");
const THEME = T("Appearance", "外观");
const THEMES = [
  ["", T("as the system", "随系统")],
  ["light", T("light", "浅色")],
  ["dark", T("dark", "深色")],
] as const;
const COPY = T("Copy a link to this view", "复制当前视图的链接");
const COPIED = T("Copied", "已复制");
const BY_HAND = T("Copy it from the address bar", "请从地址栏复制");
const VIEWS = T("Skip to the pictures", "跳到图");

export function App({ scene, made, start }: { scene: Scene; made: Language; start: string }) {
  // In the same turn as the page itself: whoever is quick loses neither a file nor a link.
  useLayoutEffect(() => {
    const forget = hosted ? followHost(scene.state) : followAddress(scene.state, start);
    document.documentElement.classList.toggle("hosted", hosted);
    const stop = takeAnywhere(scene);
    const follow = effect(() => {
      language.value = scene.state.lang.value || made;
      document.documentElement.lang = language.value === "zh" ? "zh-CN" : "en";
      document.title = `${say(TITLE)} · clockhands`;
    });
    about.now = () => {
      const { room, scheme } = scene.state;
      const said = `${room.value === "attention" ? "" : `scheme=${scheme.value}&`}${toFragment(scene.state)}`;
      return [...new Set(said.split("&"))]
        .join(" ")
        .replace(/[^\p{L}\p{N}.]+/gu, "-")
        .slice(0, 120);
    };
    const paint = effect(() => {
      document.documentElement.dataset.theme = scene.state.theme.value || surrounding.value || "system";
      readPalette(document.documentElement);
    });
    const queries = ["(prefers-color-scheme: dark)", "(forced-colors: active)"].map((query) =>
      matchMedia(query),
    );
    const repaint = () => readPalette(document.documentElement);
    for (const query of queries) query.addEventListener("change", repaint);
    return () => {
      forget();
      follow();
      stop();
      paint();
      for (const query of queries) query.removeEventListener("change", repaint);
    };
  }, [scene, made, start]);
  const room = roomOf(scene);
  const shown = useRef(room.id);
  useEffect(() => {
    // A button that led here is gone: who works by keys goes on from the bar, not from the top.
    const lost = shown.current !== room.id && document.activeElement === document.body;
    if (lost) document.querySelector<HTMLElement>(".bar [aria-current]")?.focus();
    shown.current = room.id;
  }, [room.id]);
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        {say(VIEWS)}
      </button>
      <header>
        <div>
          <h1>{say(TITLE)}</h1>
          {room.lead ? <p>{say(room.lead)}</p> : null}
        </div>
        <Corner scene={scene} />
      </header>
      <Bar scene={scene} shown={room.id} />
      {room.id === "instrument" || room.id === "attention" ? null : <Brought scene={scene} />}
      <main class={room.id}>
        <room.Body scene={scene} />
      </main>
    </>
  );
}

function Bar({ scene, shown }: { scene: Scene; shown: RoomId }) {
  const rooms = roomsOf(scene);
  if (rooms.length < 2) return null;
  return (
    <nav class="bar" aria-label={say(PARTS)}>
      {rooms.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          data-room={id}
          aria-current={id === shown ? "page" : undefined}
          onClick={() =>
            id === "lesson" ? begin(scene, scene.state.step.value) : setText(scene.state, "room", id)
          }
        >
          {say(name)}
        </button>
      ))}
    </nav>
  );
}

// A button, since a link would change the fragment, which is the state.
function skip(): void {
  const all = document.querySelectorAll<HTMLElement>("main :is(button, input, select)");
  const first = [...all].find((each) => each.getClientRects().length); // steps of the lesson that are not shown
  first?.scrollIntoView();
  first?.focus();
}

/** 中文 in strokes: who comes to a page in English may have no font that writes it. */
function Chinese() {
  return (
    <svg class="chinese" viewBox="0 0 36 20" aria-hidden="true">
      <path d="M2.5 5.5h13v7h-13zM9 1v18M27 1v4M20 5.5h14M31 5.5Q29 15 20 18.5M23 5.5Q25 15 34 18.5" />
    </svg>
  );
}

function Corner({ scene }: { scene: Scene }) {
  const { state } = scene;
  const said = useSignal<"" | "copied" | "refused">("");
  const other: Language = language.value === "zh" ? "en" : "zh";
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      said.value = "copied";
    } catch {
      said.value = "refused"; // not allowed here, or no clipboard at all
    }
  };
  return (
    <div class="corner">
      <button
        type="button"
        lang={other === "zh" ? "zh-CN" : "en"}
        aria-label={other === "zh" ? "中文" : "English"}
        onClick={() => setText(state, "lang", other)}
      >
        {other === "zh" ? <Chinese /> : "English"}
      </button>
      <label>
        <span class="hidden">{say(THEME)}</span>
        <select
          value={state.theme.value}
          onChange={(event) => setText(state, "theme", event.currentTarget.value)}
        >
          {THEMES.map(([id, name]) => (
            <option key={id} value={id}>
              {say(name)}
            </option>
          ))}
        </select>
      </label>
      {hosted ? null : (
        <button type="button" onClick={copy}>
          {say(COPY)}
        </button>
      )}
      <span role="status">
        {said.value === "copied" ? say(COPIED) : said.value === "refused" ? say(BY_HAND) : ""}
      </span>
    </div>
  );
}
