// Where files are dropped, chosen or pasted: they are drawn here and go nowhere.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Scene } from "../scene";
import { fill, say, T, type Text } from "../words";
import { bytesOf, take } from "./dispatch";
import type { Refused } from "./refused";

const OWN = T("Bring your own", "用你自己的");
const CHOOSE = T("Choose a file…", "选择文件…");
const HELP = T(
  "or drop one anywhere, or paste its text: a config.json, what clockhands check --format json says, an attention " +
    "file of clockhands attend, or q and k (.npz, .safetensors). It stays on this page.",
  "也可以把文件拖到页面上，或粘贴文本：config.json、clockhands check --format json 的输出、clockhands attend 的注意力文件，或 q 和 k（.npz、.safetensors）。" +
    "文件不会离开本页。",
);
const STAYS = T("{0} A link to this view doesn't carry the file.", "{0} 链接里不包含文件内容。");

export function Bring({ scene }: { scene: Scene }) {
  const said = useSignal<Text | null>(null);
  const wrong = useSignal(false);
  const over = useSignal(false);
  const bring = async (read: () => Promise<{ name: string; bytes: Uint8Array }>) => {
    try {
      const shown = await take(await read(), scene);
      [said.value, wrong.value] = [T(fill(STAYS, shown.en).en, fill(STAYS, shown.zh).zh), false];
    } catch (error) {
      const broken = T("The file can't be read: it is broken.", "文件已损坏，无法读取。");
      const reason = (error as Refused).said ?? broken;
      [said.value, wrong.value] = [reason, true];
    }
  };
  const files = (list: FileList | null | undefined) => {
    const file = list?.[0];
    if (file) bring(() => bytesOf(file));
    return Boolean(file);
  };
  useEffect(() => {
    if (scene.side) return; // what lands anywhere is the first scheme's
    const dragged = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault(); // else the browser would leave the page for the file
      over.value = event.type === "dragover";
      if (event.type === "drop") files(event.dataTransfer.files);
    };
    const pasted = (event: ClipboardEvent) => {
      if (event.target instanceof HTMLInputElement && event.target.type !== "file") return;
      const text = event.clipboardData?.getData("text") ?? "";
      if (files(event.clipboardData?.files) || !text.trim()) return;
      bring(async () => ({ name: "JSON", bytes: new TextEncoder().encode(text) }));
    };
    const kinds = ["dragover", "dragleave", "drop"] as const;
    for (const kind of kinds) addEventListener(kind, dragged);
    addEventListener("paste", pasted);
    return () => {
      for (const kind of kinds) removeEventListener(kind, dragged);
      removeEventListener("paste", pasted);
    };
  }, [scene]);
  return (
    <section class={`bring${over.value ? " over" : ""}`} aria-label={say(OWN)}>
      <label class="file">
        <span class="button">{say(CHOOSE)}</span>
        <input
          type="file"
          class="hidden"
          data-control={`file${scene.side}`}
          onChange={(event) => {
            files(event.currentTarget.files);
            event.currentTarget.value = ""; // the same file may be chosen again
          }}
        />
      </label>
      <span class="note">
        <b>{say(OWN)}</b> {scene.side ? null : say(HELP)}
      </span>
      <p role="status" class={wrong.value ? "caution" : ""}>
        {said.value ? say(said.value) : ""}
      </p>
    </section>
  );
}
