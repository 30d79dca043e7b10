// Where files are dropped, chosen or pasted: they are drawn here and go nowhere.

import type { Scene } from "../scene";
import { fill, say, T, type Text } from "../words";
import { type Later, later } from "./apart";
import type { Refused } from "./refused";

const OWN = T("Bring your own file.", "用你自己的文件。");
const PASTED = T("the pasted text", "粘贴的文本");
const CHOOSE = T("Choose a file…", "选择文件…");
const HELP = T(
  "Choose one, drop one anywhere, or paste its text: a config.json, what clockhands check --format json says, an " +
    "attention file of clockhands attend, or q and k (.npz, .safetensors). It stays on this page.",
  "可以选择文件、把它拖到页面任意处，或者粘贴文本：config.json、clockhands check --format json 的输出、" +
    "clockhands attend 的注意力文件，或 q 和 k（.npz、.safetensors）。文件不会离开本页。",
);
const STAYS = T("{0} A link to this view doesn't carry the file.", "{0} 链接里不包含文件内容。");

const BROKEN = T("The file can't be read: it is broken.", "文件已损坏，无法读取。");

/** What was said of the last file, and whether it was refused. */
export interface Said {
  readonly text: Text;
  readonly refused: boolean;
}

type Read = (by: Later) => Promise<{ name: string; bytes: Uint8Array }>;

async function bring(scene: Scene, read: Read): Promise<void> {
  try {
    const by = await later();
    const { en, zh } = await by.take(await read(by), scene);
    scene.brought.value = { text: T(fill(STAYS, en).en, fill(STAYS, zh).zh), refused: false };
  } catch (error) {
    scene.brought.value = { text: (error as Refused).said ?? BROKEN, refused: true };
  }
}

function bringFirst(scene: Scene, files: FileList | null | undefined): boolean {
  const file = files?.[0];
  if (file) bring(scene, (by) => by.bytesOf(file));
  return Boolean(file);
}

/** Take what is dropped or pasted anywhere on the page; returns what stops it. */
export function takeAnywhere(scene: Scene): () => void {
  const dragged = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault(); // else the browser would leave the page for the file
    document.body.classList.toggle("over", event.type === "dragover");
    if (event.type === "drop") bringFirst(scene, event.dataTransfer.files);
  };
  const pasted = (event: ClipboardEvent) => {
    if (event.target instanceof HTMLInputElement && event.target.type !== "file") return;
    const text = event.clipboardData?.getData("text") ?? "";
    if (bringFirst(scene, event.clipboardData?.files) || !text.trim()) return;
    bring(scene, async () => ({ name: say(PASTED), bytes: new TextEncoder().encode(text) }));
  };
  const kinds = ["dragover", "dragleave", "drop"] as const;
  for (const kind of kinds) addEventListener(kind, dragged);
  addEventListener("paste", pasted);
  return () => {
    for (const kind of kinds) removeEventListener(kind, dragged);
    removeEventListener("paste", pasted);
  };
}

/** What was said; empty until something is brought. */
export function Brought({ scene }: { scene: Scene }) {
  const said = scene.brought.value;
  return (
    <p role="status" class={`brought${said?.refused ? " caution" : ""}`}>
      {said ? say(said.text) : ""}
    </p>
  );
}

export function Bring({ scene }: { scene: Scene }) {
  return (
    <section class="bring" aria-label={say(OWN)}>
      <label class="file">
        <span class="button">{say(CHOOSE)}</span>
        <input
          type="file"
          class="hidden"
          data-control={`file${scene.side}`}
          onChange={(event) => {
            bringFirst(scene, event.currentTarget.files);
            event.currentTarget.value = ""; // the same file may be chosen again
          }}
        />
      </label>
      <span class="note">
        <b>{say(OWN)}</b> {scene.side ? null : say(HELP)}
      </span>
      <Brought scene={scene} />
    </section>
  );
}
