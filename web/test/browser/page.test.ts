// The page as people get it: opened from the disk, with the network refused.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, open, painted, SCHEMES, settled, show, silent, tableOf, text, written } from "./browser";

const PICTURES: Record<string, string[]> = {
  sinusoidal: ["clock", "odometer", "heatmap", "kernel", "map", "spectrum", "precision"],
  learned: ["heatmap", "map"],
  rope: ["clock", "odometer", "heatmap", "kernel", "map", "spectrum", "precision"],
  alibi: ["kernel", "map"],
  t5: ["kernel", "map"],
  none: [],
};
const LAYERS: Record<string, "base" | "over"> = { odometer: "over" };

let browser: Browser;
let english: string;

beforeAll(async () => {
  browser = await launch();
  english = written("page.html", "--lang", "en");
});
afterAll(() => browser.close());

const ofView = (page: Page, view: string) => text(page, `#view-${view} .read`);

it("is one small file", () => {
  const document = readFileSync(fileURLToPath(english), "utf8");
  expect(Buffer.byteLength(document.replace(/\n@font-face \{.*?\}/, ""))).toBeLessThan(200_000); // glyphs aside
  expect(Buffer.byteLength(document)).toBeLessThan(320_000);
});

describe("opened from the disk", () => {
  it.each(SCHEMES)("%s draws without a request or a word on the console", async (scheme) => {
    const opened = await open(browser, `${english}#scheme=${scheme}`);
    for (const name of PICTURES[scheme]) {
      const { painted: pixels, colours } = await painted(opened.page, name, LAYERS[name] ?? "base");
      expect(pixels, name).toBeGreaterThan(1000);
      expect(colours, name).toBeGreaterThan(3);
    }
    expect(await opened.page.locator("[data-canvas]").count()).toBe(PICTURES[scheme].length);
    await silent(opened);
  });

  it("one scheme may follow any other while all pictures are in sight", async () => {
    const opened = await open(browser, english, { viewport: { width: 500, height: 6000 } });
    const order = SCHEMES.flatMap((one) => SCHEMES.flatMap((two) => [one, two]));
    for (const scheme of order) {
      await show(opened.page, `room=instrument&scheme=${scheme}`);
      expect(await opened.page.locator("[data-canvas]").count(), scheme).toBe(PICTURES[scheme].length);
    }
    for (const scheme of SCHEMES)
      for (const beside of SCHEMES)
        await show(opened.page, `room=instrument&two=true&scheme=${scheme}&b.scheme=${beside}`);
    await silent(opened);
  });

  it("may not ask the network, even when told to", async () => {
    const { page, noise } = await open(browser, english);
    const asked = page.evaluate(() => fetch("http://127.0.0.1:9/").then(String, (error) => error.name));
    expect(await asked).toBe("TypeError");
    expect(noise.join()).toContain("Content Security Policy");
    await page.context().close();
  });
});

describe("the hands", () => {
  it.each([2, 32, 512, 1024])("of %i dimensions all point to twelve at position 0", async (dim) => {
    const opened = await open(browser, `${english}#dim=${dim}&pos=0`);
    const spread = await painted(opened.page, "clock", "over");
    expect(spread.painted).toBeGreaterThan(100);
    expect(Math.max(-spread.left, spread.right)).toBeLessThan(6); // a tip is 4.5 pixels wide
    expect(spread.bottom).toBeLessThan(5);
    expect(spread.top).toBeLessThan(-120);
    await silent(opened);
  });

  it("turn clockwise: at position 1 a single hand points to 57.3° from twelve", async () => {
    const opened = await open(browser, `${english}#dim=2&pos=1&other=1&context=2`);
    const spread = await painted(opened.page, "clock", "over");
    const radius = 0.8 * (460 / 2 - 28); // of a single hand on a dial of full size; its tip's is 4.5
    expect(Math.asin((spread.right - 4.5) / radius)).toBeCloseTo(1, 1);
    expect(spread.left).toBeGreaterThan(-4);
    expect(spread.bottom).toBeLessThan(4);
    const rows = await tableOf(opened.page, "clock");
    expect(rows).toEqual([["0", "6.2832", "0.16", "57.3", "0.8415", "0.5403"]]);
    await silent(opened);
  });
});

describe("linked views", () => {
  it("tell the numbers that Python gives", async () => {
    const opened = await open(browser, `${english}#pos=50&other=0`);
    const { page } = opened;
    expect(await ofView(page, "kernel")).toBe("Distance 50: cosine similarity 0.36868"); // clockhands.analysis.kernel, d = 32
    await show(page, "pos=57");
    expect(await ofView(page, "kernel")).toContain("0.5955");
    await show(page, "pos=4096&context=8192&dim=512");
    expect(await ofView(page, "odometer")).toContain("181 of 256 hands"); // 75 of 256 need more than 4,096
    expect(await ofView(page, "spectrum")).toContain("of 256 hands finish a turn within 8,192 tokens");
    await show(page, "context=4096");
    expect(await ofView(page, "precision")).toContain("769 of 4,096 positions stay distinct: 256 and 257");
    await silent(opened);
  });

  it("follow one slider, moved by keys", async () => {
    const opened = await open(browser, `${english}#pos=10`);
    const { page } = opened;
    await page.locator("#slide-pos").focus();
    await page.keyboard.press("ArrowRight");
    expect(await ofView(page, "clock")).toContain("Position 11:");
    expect(await ofView(page, "kernel")).toContain("Distance 11:");
    expect(await ofView(page, "heatmap")).toContain("Row 11:");
    expect(await ofView(page, "map")).toContain("i = 11, j = 0");
    expect(await page.locator("#slide-pos").getAttribute("aria-valuetext")).toBe("position 11 of 511");
    await page.keyboard.press("End");
    expect(await ofView(page, "clock")).toContain("Position 511:");
    await silent(opened);
  });

  it("map a million positions, and zoom by keys to a single pair", async () => {
    const opened = await open(browser, `${english}#context=1000000&dim=512&pos=500000&other=499990`);
    const { page } = opened;
    expect((await painted(page, "map", "base")).colours).toBeGreaterThan(50);
    expect(await ofView(page, "map")).toContain("mean cosine similarity of 3907 × 3907 positions");
    await page.locator(".map").focus();
    for (let k = 0; k < 13; k++) await page.keyboard.press("+");
    const near = await ofView(page, "map");
    expect(near).toMatch(/^i = 500,000, j = 499,990: cosine similarity 0\.\d+$/);
    expect(await ofView(page, "kernel")).toContain(near.split(" ").at(-1)!); // a single pair is on the curve
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    expect(await ofView(page, "map")).toContain("i = 500,001, j = 499,991");
    await page.keyboard.press("0");
    expect(await ofView(page, "map")).toContain("mean cosine");
    await silent(opened);
  });

  it("are pointed at with the mouse", async () => {
    const opened = await open(browser, `${english}#room=instrument`);
    const { page } = opened;
    await page.locator("[data-canvas=map]").click({ position: { x: 64 + 220, y: 22 + 110 } });
    const [, i, j] = (await ofView(page, "map")).match(/^i = (\d+), j = (\d+)/)!;
    expect(Number(i)).toBeGreaterThan(100);
    expect(Number(j)).toBeGreaterThan(Number(i) * 1.8);
    await silent(opened);
  });

  it("say what is untrained or missing", async () => {
    const opened = await open(browser, `${english}#scheme=learned&rows=64&context=512`);
    const { page } = opened;
    expect(await text(page, "#view-heatmap .caution")).toContain("Untrained: random numbers, seed 0");
    expect(await page.locator("#slide-pos").getAttribute("max")).toBe("63"); // nothing past the last row
    const rows = await tableOf(page, "map");
    expect([rows.length, rows[0].length]).toEqual([33, 34]); // those around the position, with their names
    expect(rows[16][0]).toBe("37"); // in the middle
    await show(page, "scheme=t5");
    expect(await text(page, "#view-kernel .caution")).toContain("learned");
    expect(await text(page, "#view-clock dd")).toBe("This scheme has no clock hands.");
    expect(await page.locator("#slide-other").count()).toBe(1);
    await show(page, "scheme=none"); // nothing to compare with anything
    expect(await page.locator("#slide-other").count()).toBe(0);
    await silent(opened);
  });
});

describe("the state", () => {
  it("survives a reload, and a link gives the same picture", async () => {
    const opened = await open(browser, `${english}#room=instrument`);
    const { page } = opened;
    await page.locator("#set-scheme").selectOption("rope");
    await page.locator("#set-scaling").selectOption("yarn");
    await page.locator("#set-dim").fill("128");
    await page.locator("#set-context").fill("4096");
    await page.locator("#set-context").press("Tab");
    await page.locator("[data-control=pos]").fill("1234");
    await page.locator("[data-control=pos]").press("Tab");
    await page.getByRole("button", { name: "Zoom in" }).click();
    await settled(page);
    const link = page.url();
    expect(link).toContain("scheme=rope&dim=128&scaling=yarn&context=4096");
    const pictures = () =>
      page.evaluate(() =>
        [...document.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL()).join(),
      );
    await page.setViewportSize({ width: 1280, height: 3600 }); // all in sight
    await page.waitForTimeout(300);
    const before = await pictures();
    const words = await page.locator("main").innerText();
    await page.reload();
    await page.waitForSelector(".view");
    expect(await page.locator("main").innerText()).toBe(words);
    await page.waitForTimeout(300);
    expect(before.length).toBeGreaterThan(100_000);
    expect((await pictures()) === before).toBe(true);
    await silent(opened);
    const shared = await open(browser, link);
    expect(await shared.page.locator("main").innerText()).toBe(words);
    await silent(shared);
  });

  it.each([
    "dim=-5&base=0&context=1e99&pos=NaN&scheme=<script>",
    "scheme=rope&scaling=yarn&factor=&trained=zero&slow=9&fast=1&dim=7",
    "scheme=t5&buckets=3&far=1&both=true",
    "scheme=rope&scaling=llama3&slow=4&fast=1",
    "%%%&=&&dim",
    "scheme=model&layer=99",
    "context=2&pos=999999&dim=1024",
    "scheme=learned&rows=1&context=1000000&pos=500",
  ])("takes nonsense without harm: %s", async (fragment) => {
    const opened = await open(browser, `${english}#${fragment}`);
    expect(await opened.page.locator("[id^=view-]").count()).toBe(8);
    await silent(opened);
  });
});
