// The first script of the page: it unpacks the others, which lie compressed in the document so that a page stays
// small on the disk, and starts the page. Its policy names each script by its hash, so no other text would run.

import { unpacked } from "./unpacked";

const TOO_OLD =
  "This browser is too old for the page: use one of 2023 or later. 浏览器太旧，请使用 2023 年以后的版本。";

globalThis.clockhandsUnpacked = unpacked;

async function start(): Promise<void> {
  const root = document.getElementById("clockhands")!;
  if (!("DecompressionStream" in globalThis)) {
    root.textContent = TOO_OLD;
    return;
  }
  const [words, page] = await Promise.all([unpacked("words"), unpacked("page")]);
  document.getElementById("clockhands-words")!.textContent = words;
  const script = document.createElement("script");
  script.textContent = page;
  document.head.append(script);
}

start();
