// The lesson: every step driven, every question answered, in both languages, on narrow screens, without scripts.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, open, rendered, settled, show, silent, text, written } from "./browser";

const STEPS = Array.from({ length: 15 }, (_, k) => k + 1);

let browser: Browser;
let english: string;

beforeAll(async () => {
  browser = await launch();
  english = written("lesson.html", "--lang", "en");
});
afterAll(() => browser.close());

const shown = (page: Page, within = "") => page.locator(`article:not([hidden]) ${within}`);

/** What a step shows: its pictures and the words of its control. */
async function seen(page: Page): Promise<string> {
  await rendered(page);
  await rendered(page);
  return page.evaluate(() => {
    const part = document.querySelector<HTMLElement>("article:not([hidden]) .try")!;
    const drawn = [...part.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL());
    const read = [...part.querySelectorAll<HTMLElement>(".read, .collisions, .score, mtable")];
    return [...drawn, ...read.map((each) => each.textContent)].join();
  });
}

it("opens first, and each step's control moves its picture", async () => {
  const opened = await open(browser, english, { viewport: { width: 1280, height: 1500 } });
  const { page } = opened;
  expect(await text(page, ".bar [aria-current]")).toBe("Lesson");
  for (const step of STEPS) {
    expect(await text(page, "article:not([hidden]) .count")).toBe(String(step));
    expect(await page.locator("nav [aria-current=step]").getAttribute("href")).toBe(`#step-${step}`);
    let before = await seen(page);
    const button = shown(page, ".tools button[data-set]:not([aria-pressed=true])");
    const slider = shown(page, ".tools input[type=range]");
    if (await button.count()) {
      await button.first().click();
      const after = await seen(page);
      expect(after === before, `step ${step}`).toBe(false);
      before = after;
    }
    if (await slider.count()) {
      await slider.first().press((await slider.first().inputValue()) === "64" ? "Home" : "ArrowRight");
      expect((await seen(page)) === before, `step ${step}`).toBe(false);
    }
    expect(await shown(page, "[data-value]").evaluateAll((all) => all.filter((e) => !e.textContent))).toEqual(
      [],
    );
    if (step < 15) await page.getByRole("button", { name: "Next" }).click();
  }
  await silent(opened);
});

it("questions are answered: wrong answers kindly, right ones count, and both are shown", async () => {
  const opened = await open(browser, english, { viewport: { width: 700, height: 900 } });
  const { page } = opened;
  for (const step of STEPS) {
    await show(page, `step=${step}&done=${2 ** (step - 1) - 1}`);
    const done = page.locator("nav .done");
    for (const wrong of await shown(page, "details[name]:not([data-right])").all()) {
      await wrong.locator("summary").press("Enter");
      const reply = await wrong.locator("p:visible").innerText();
      expect(reply.length, `step ${step}`).toBeGreaterThan(25);
      expect(reply).not.toMatch(/^(no|wrong|false)\b/i);
      expect(await done.count()).toBe(step - 1);
    }
    await shown(page, "details[data-right] summary").press("Enter");
    await rendered(page);
    expect(await shown(page, "details[data-right] p:visible").innerText()).toMatch(/^Yes/);
    expect(await done.count()).toBe(step);
    const sets = (await shown(page, "details[data-right]").getAttribute("data-set"))!;
    for (const [name, value] of new URLSearchParams(sets)) {
      const slider = shown(page, `[data-field=${name}]`);
      if (await slider.count()) expect(await slider.inputValue(), `step ${step}`).toBe(value);
      const button = shown(page, `button[data-set="${name}=${value}"]`);
      if (await button.count()) expect(await button.getAttribute("aria-pressed")).toBe("true");
    }
  }
  expect(await text(page, ".lesson .note")).toContain("15 of 15");
  await silent(opened);
});

it("pictures say the numbers of the sentences", async () => {
  const opened = await open(browser, `${english}#step=8`);
  const { page } = opened;
  const values = () => shown(page, ".try [data-value]").allTextContents();
  await page.getByRole("button", { name: "hands through" }).click();
  expect(await shown(page, ".surprise").innerText()).toContain(`${(await values())[0]} of the variation`);
  await show(page, "step=10");
  const [, distance, score, length] = (await shown(page, ".read").innerText()).match(
    /(\d+): score (\S+)\. .*: (\S+)\./,
  )!;
  await page.getByRole("button", { name: "both 10 further" }).click();
  expect(await shown(page, ".read").innerText()).toContain(`Distance ${distance}: score ${score}.`);
  await page.getByRole("button", { name: "interleaved" }).click();
  expect(await shown(page, ".read").innerText()).not.toContain(score);
  expect(await shown(page, ".read").innerText()).toContain(`Length of the query: ${length}.`);
  await show(page, "room=lesson&step=6&shift=44");
  expect((await shown(page, "mtd [data-value], mn[data-value]").allTextContents()).slice(0, 2)).toEqual([
    "0.9998",
    "0.0177",
  ]);
  await show(page, "room=lesson&step=4&pos=710");
  expect(await shown(page, ".read").first().innerText()).toBe("The hand is 0.003° from twelve.");
  await show(page, "room=lesson&step=9&pos=64");
  expect(await shown(page, ".read").first().innerText()).toBe("Row looked up: ∅");
  await silent(opened);
});

it.each([
  ["en", "▶ Play", "❚❚ Pause"],
  ["zh", "▶ 播放", "❚❚ 暂停"],
])("the clock plays, and its button says how to stop it: %s", async (lang, play, pause) => {
  const opened = await open(browser, `${english}#step=4&lang=${lang}`);
  const { page } = opened;
  const button = shown(page, "[data-play]");
  expect((await button.innerText()).trim()).toBe(play);
  await button.press("Enter");
  await page.waitForFunction(() => document.querySelector("#step-4 b[data-value=pos]")?.textContent !== "0");
  expect((await button.innerText()).trim()).toBe(pause);
  await button.press("Enter");
  expect((await button.innerText()).trim()).toBe(play);
  await silent(opened);
});

it("turns pages by keys, keeps a link, and opens a step in the instrument", async () => {
  const opened = await open(browser, `${english}#step=6`);
  const { page } = opened;
  await page.keyboard.press("ArrowRight");
  expect(await text(page, "article:not([hidden]) h2")).toContain("The whole map");
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("H2");
  await page.keyboard.press("ArrowLeft");
  await shown(page, "[data-field=pos]").focus();
  await page.keyboard.press("ArrowRight");
  expect(await text(page, "article:not([hidden]) .count")).toBe("6"); // a slider keeps its keys
  await settled(page);
  expect(new URL(page.url()).hash).toBe("#room=lesson&step=6&pos=13");
  await page.reload();
  await page.waitForSelector("main button:visible");
  expect(await shown(page, "[data-value=pos]").innerText()).toBe("13");
  await page.locator("nav a").nth(11).click();
  await page.getByRole("button", { name: "YaRN" }).click();
  await page.getByRole("button", { name: "Open this in the instrument" }).click();
  expect(await page.locator("#set-scaling").inputValue()).toBe("yarn");
  expect(await page.locator("#set-context").inputValue()).toBe("16384");
  await settled(page);
  expect(page.url()).toContain("scheme=rope&dim=128&scaling=yarn");
  await page.getByRole("button", { name: "Lesson" }).click();
  expect(await text(page, "article:not([hidden]) .count")).toBe("12");
  expect(await shown(page, "[aria-pressed=true]").innerText()).toBe("as trained"); // a step begins anew
  await show(page, "room=lesson&step=5&scheme=alibi"); // a picture without its hands says so
  expect(await shown(page, ".view").first().innerText()).toBe("This scheme has no clock hands.");
  await silent(opened);
});

it.each([
  ["en", "light"],
  ["zh", "dark"],
] as const)("fits 360 pixels, is sound to axe and speaks one language: %s, %s", async (lang, colorScheme) => {
  const opened = await open(browser, `${english}#lang=${lang}`, {
    viewport: { width: 360, height: 740 },
    colorScheme,
  });
  const { page } = opened;
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  for (const step of STEPS) {
    await show(page, `step=${step}&lang=${lang}`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `step ${step}`).toBe(360);
    const cut = await shown(page, ".formula").evaluateAll((all) =>
      all.filter((e) => e.scrollWidth > e.clientWidth),
    );
    expect(cut.length, `formula of step ${step}`).toBe(0);
    const words = await page.locator("main").innerText();
    if (lang === "en") expect(words, `step ${step}`).not.toMatch(/[\u4e00-\u9fff]/);
    else expect(words, `step ${step}`).not.toMatch(/\b[a-z]{2,} [a-z]{2,} [a-z]{2,} [a-z]{2,}\b/);
    if (step % 2 === (lang === "en" ? 1 : 0)) continue; // each step in one of both
    const found = await page.evaluate(() =>
      (window as unknown as { axe: Axe }).axe
        .run(document, { resultTypes: ["violations"] })
        .then(({ violations }) =>
          violations.map((each) => `${each.impact}: ${each.id} ${each.nodes[0]?.html}`),
        ),
    );
    expect(
      found.filter((each) => /^(serious|critical)/.test(each)),
      `step ${step}`,
    ).toEqual([]);
  }
  await silent(opened);
});

it("can be read without scripts", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(english);
  expect(await page.locator("article:visible").count()).toBe(15);
  expect(await page.locator(".try:visible").count()).toBe(0);
  expect(await page.locator("noscript").innerText()).toContain("can be read without them");
  const words = await page.locator("#lesson").innerText();
  expect(words).toContain("reverse the order of all words but the last");
  expect(words).not.toMatch(/[\u4e00-\u9fff]/);
  await page.locator("#step-1 summary").last().click();
  expect(await page.locator("#step-1 details p:visible").innerText()).toMatch(/^Yes/);
  await page.locator("nav a").nth(6).click();
  expect(page.url()).toContain("#step-7");
  await context.close();
});

interface Axe {
  readonly run: (root: Document, options: object) => Promise<{ violations: Violation[] }>;
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: { readonly html: string }[];
}
