// The room of attention as people get it: Python's weights in the page, keys and pointer, files of any kind.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  folder,
  launch,
  open,
  painted,
  rendered,
  settled,
  show,
  silent,
  tableOf,
  text,
  written,
} from "./browser";

const root = join(import.meta.dirname, "..", "..", "..");
const MAKER = join(import.meta.dirname, "attention_files.py");

interface Made {
  readonly tokens: readonly string[];
  readonly weights: readonly number[][][];
}

let browser: Browser;
let page_url: string;
let plain: string;
let made: Made;

beforeAll(async () => {
  browser = await launch();
  const python = process.env.CLOCKHANDS_PYTHON ?? join(root, ".venv", "bin", "python");
  const env = { ...process.env, PYTHONPATH: join(root, "src") };
  made = JSON.parse(execFileSync(python, [MAKER, folder], { env, encoding: "utf8" }));
  page_url = written(
    "heads.html",
    "--lang",
    "en",
    "--attention",
    join(folder, "strange_attention.safetensors"),
  );
  plain = written("plain.html", "--lang", "en");
});
afterAll(() => browser.close());

const reading = (page: Page) => text(page, ".heads .read");
const room = async (url: string, fragment = "", options = {}) => {
  const opened = await open(browser, `${url}#room=attention${fragment}`, {
    viewport: { width: 1280, height: 1500 },
    ...options,
  });
  await opened.page.waitForSelector(".heads .map");
  await rendered(opened.page);
  return opened;
};
const weightIn = (said: string) => Number(/weight ([\d.e−]+)/.exec(said)![1].replace("−", "-"));

describe("a run in the page", () => {
  it("tells Python's weights", async () => {
    const opened = await room(page_url);
    for (const [head, query, key] of [
      [0, 9, 2],
      [1, 11, 0],
      [2, 7, 7],
      [3, 5, 1],
    ]) {
      await show(opened.page, `room=attention&head=${head}&query=${query}&key=${key}`);
      const weight = made.weights[head][query][key];
      // A busy machine shows the last cell a moment longer.
      await expect
        .poll(async () => Math.abs(weightIn(await reading(opened.page)) - weight))
        .toBeLessThan(1e-3);
    }
    await silent(opened);
  });

  it("draws tokens as text, whatever they are, each in its place", async () => {
    const opened = await room(page_url);
    const { page } = opened;
    const labels = await page.locator(".labels .of-row").allInnerTexts();
    expect(labels).toHaveLength(made.tokens.length);
    made.tokens.forEach((token, i) => {
      if (token.length < 16) expect(labels[i]).toBe(token);
      else expect(labels[i]).toMatch(/…$/);
    });
    expect(await page.evaluate(() => (globalThis as { hacked?: number }).hacked)).toBeUndefined();
    expect(await page.locator(".labels .sign").count()).toBe(
      2 * made.tokens.filter((each) => each === "<pad>").length,
    );
    const spread = await painted(page, "attention", "base");
    expect(spread.colours).toBeGreaterThan(20);
    await silent(opened);
  });

  it("is moved through by keys and pointer, zoomed and dragged", async () => {
    const opened = await room(page_url, "&query=3&key=3");
    const { page } = opened;
    const map = page.locator(".heads .map");
    await map.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowLeft");
    expect(await reading(page)).toMatch(/^Query 4 .* → key 2 /);
    await page.keyboard.press("Shift+ArrowDown");
    expect(await reading(page)).toMatch(/^Query 11 /); // the last
    await page.keyboard.press("+");
    expect(await page.locator(".labels .of-row").count()).toBe(8);
    const box = (await map.locator(".canvas").boundingBox())!;
    await page.mouse.move(box.x + 250, box.y + 250);
    await page.mouse.down();
    await page.mouse.move(box.x + 250, box.y + 550, { steps: 3 });
    await page.mouse.up();
    await settled(page);
    expect(page.url()).toMatch(/side=8/);
    expect(await page.locator(".labels .of-row").first().innerText()).toBe(made.tokens[0]);
    await page.keyboard.press("0");
    expect(await page.locator(".labels .of-row").count()).toBe(made.tokens.length);
    await page.mouse.move(box.x + 92, box.y + 88); // the first cell
    expect(await reading(page)).toMatch(/^Query 0 .* → key 0 .*weight 1$/);
    await silent(opened);
  });

  it("hides the sink and padding, and has one scale for all heads unless asked", async () => {
    const opened = await room(page_url, "&head=1&shade=log&query=0");
    const { page } = opened;
    const seen = async () => (await page.locator("[data-canvas=attention]").screenshot()).toString("base64");
    const shown = await seen();
    expect(await tableOf(page, "attention-row")).toHaveLength(1); // the first query sees itself
    await page.locator("#look-sink").selectOption("hide");
    expect(await tableOf(page, "attention-row")).toEqual([]); // which is the sink
    await page.locator("#look-signs").selectOption("hide");
    expect(await seen()).not.toBe(shown);
    await page.locator("#look-shared").selectOption("false");
    await page.locator(".thumbs button").nth(3).click();
    await settled(page);
    expect(page.url()).toMatch(/head=3.*shade=log.*shared=false.*sink=hide.*signs=hide/);
    await silent(opened);
  });
});

describe("files", () => {
  it("are opened where they are dropped, and broken ones are a sentence", async () => {
    const opened = await room(plain);
    const { page } = opened;
    expect(await text(page, ".heads")).toContain("A toy: four heads set by formulas");
    const input = page.locator("input[type=file]").first();
    const sound = readFileSync(join(folder, "strange_attention.safetensors"));
    writeFileSync(join(folder, "broken.safetensors"), sound.subarray(0, sound.length - 9));
    await input.setInputFiles(join(folder, "broken.safetensors"));
    await page.waitForSelector(".bring .caution");
    expect(await text(page, ".bring .caution")).toMatch(/broken\.safetensors/);
    expect(await text(page, ".heads")).toContain("A toy");
    await input.setInputFiles(join(folder, "strange_attention.safetensors"));
    await page.waitForFunction(() => document.querySelector(".heads .lead")?.textContent === "strange");
    expect(await page.locator(".thumbs button").count()).toBe(4);
    await silent(opened);
  });
});

describe("parts of characters", () => {
  it("are joined to whole ones, and to words, by choice; heads and layers have names", async () => {
    const opened = await room(plain);
    const { page } = opened;
    await page.locator("input[type=file]").first().setInputFiles(join(folder, "bytes.safetensors"));
    await page.waitForFunction(() => document.querySelector(".heads .lead")?.textContent === "bytes");
    const rows = async () => {
      await rendered(page);
      return page.locator(".labels .of-row").allInnerTexts();
    };
    expect(await rows()).toEqual([..."史进打郑屠🙂"]);
    await page.locator("#look-level").selectOption("1");
    await page.locator(".thumbs button").nth(1).click();
    expect(await text(page, "#name-head")).toBe("Layer 1, head 1");
    expect(await text(page, "#name-heads")).toBe("Heads of layer 1");
    expect(await reading(page)).toMatch(/^Query 5 .*🙂/); // the last
    await show(page, "room=attention&level=1&head=1&query=0");
    await page.locator(".heads .map").press("ArrowDown"); // 进
    await page.locator("#look-unit").selectOption("pieces");
    expect((await rows()).slice(0, 4)).toEqual(["史⟨1/3⟩", "史⟨2/3⟩", "史⟨3/3⟩", "进⟨1/3⟩"]);
    expect(await reading(page)).toMatch(/^Query 3 .*进⟨1\/3⟩/); // the same place
    await page.locator("#look-unit").selectOption("words");
    expect(await rows()).toEqual(["史进", "打", "郑屠", "🙂"]);
    expect(await reading(page)).toMatch(/^Query 0 .*史进/);
    expect(weightIn(await reading(page))).toBeCloseTo(1, 3); // of the first word on itself
    await settled(page);
    expect(page.url()).toMatch(/level=1.*unit=words.*head=1|head=1.*level=1.*unit=words/);
    await silent(opened);
  });
});

it("follows the pointer over 4,096 tokens and twelve heads without drawing maps with it", async () => {
  const opened = await room(plain);
  const { page } = opened;
  await page.locator("input[type=file]").first().setInputFiles(join(folder, "long.safetensors"));
  await page.waitForFunction(() => document.querySelectorAll(".thumbs button").length === 12);
  await show(page, "room=attention&side=512&top=3000&left=2900&query=3100&key=3000");
  await page.waitForTimeout(500);
  expect(await reading(page)).toMatch(/in its block of 2 × 2 the mean is/);
  const drawings = await page.evaluate(async () => {
    const found: Record<string, number> = {};
    const clear = CanvasRenderingContext2D.prototype.clearRect;
    CanvasRenderingContext2D.prototype.clearRect = function (...box) {
      const name = `${this.canvas.parentElement!.dataset.canvas} ${this.canvas.dataset.layer}`;
      found[name] = (found[name] ?? 0) + 1;
      clear.apply(this, box);
    };
    const map = document.querySelector(".heads .map")!;
    const box = map.getBoundingClientRect();
    for (let n = 0; n < 40; n++) {
      const at = { clientX: box.left + 150 + 5 * n, clientY: box.top + 150 + 5 * n, bubbles: true };
      map.dispatchEvent(new PointerEvent("pointermove", at));
      await new Promise(requestAnimationFrame);
    }
    return found;
  });
  expect(drawings["attention over"]).toBeGreaterThan(20);
  // What is still made behind them is shown at every eighth frame.
  for (const [name, count] of Object.entries(drawings))
    if (name.endsWith("base")) expect(count, name).toBeLessThan(10);
  await silent(opened);
});

describe("for everybody", () => {
  it.each([
    ["light", "en"],
    ["dark", "zh"],
  ] as const)("axe finds nothing serious, and 360 pixels are enough: %s %s", async (colorScheme, lang) => {
    const opened = await room(page_url, `&lang=${lang}`, {
      colorScheme,
      viewport: { width: 360, height: 800 },
    });
    const { page } = opened;
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
    const found = await page.evaluate(() =>
      (
        window as unknown as { axe: { run: () => Promise<{ violations: { id: string; impact: string }[] }> } }
      ).axe.run(),
    );
    const serious = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    expect(serious.map(({ id }) => id)).toEqual([]);
    await silent(opened);
  });
});
