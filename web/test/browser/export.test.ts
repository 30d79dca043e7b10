// Pictures as files, read back by Python: sizes, times, and numbers against Python's own.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { folder, launch, open, painted, silent, written } from "./browser";

const root = join(import.meta.dirname, "..", "..", "..");
const saved = join(folder, "saved");

let browser: Browser;
let url: string;

beforeAll(async () => {
  browser = await launch();
  url = written("export.html", "--lang", "zh");
  mkdirSync(saved, { recursive: true });
});
afterAll(() => browser.close());

/** Press a button and keep the file; the name that it was given. */
async function keep(page: Page, within: string, button: string, as: string): Promise<string> {
  const menu = page.locator(within);
  if (!(await menu.getAttribute("open").then((open) => open !== null))) await menu.locator("summary").click();
  const coming = page.waitForEvent("download");
  await menu.getByRole("button", { name: button, exact: true }).click();
  const file = await coming;
  await file.saveAs(join(saved, as));
  return file.suggestedFilename();
}

function readBack(): Record<string, Record<string, unknown>> {
  const python = process.env.CLOCKHANDS_PYTHON ?? join(root, ".venv", "bin", "python");
  const env = { ...process.env, PYTHONPATH: join(root, "src") };
  const script = join(import.meta.dirname, "read_back.py");
  return JSON.parse(execFileSync(python, [script, saved], { env, encoding: "utf8" }));
}

describe("saved files", () => {
  it("hold what is shown", async () => {
    const opened = await open(browser, `${url}#dim=16&pos=5&context=256&speed=2`);
    const { page } = opened;
    for (const view of ["clock", "heatmap", "kernel", "map"]) await painted(page, view, "base");
    expect(await keep(page, "[data-save=clock]", "PNG 3×", "clock.png")).toBe(
      "clockhands-clock-scheme-sinusoidal-dim-16-context-256-pos-5.png",
    );
    await keep(page, "[data-save=clock]", "SVG", "clock.svg");
    await page.locator("#film-positions").selectOption("16");
    await page.locator("#film-seconds").fill("3");
    await page.locator("#film-seconds").blur();
    expect(await keep(page, "[data-save=clock]", "APNG", "film.png")).toMatch(/\.animated\.png$/);
    await keep(page, "[data-save=clock]", "SVG 动画", "film.svg");
    await keep(page, "[data-save=heatmap]", "NPZ", "heatmap.npz");
    await keep(page, "[data-save=heatmap]", "SVG", "heatmap.svg");
    await keep(page, "[data-save=kernel]", "NPZ", "kernel.npz");
    await keep(page, "[data-save=map]", "NPZ", "map.npz");
    await keep(page, "[data-table=kernel]", "CSV", "kernel.csv");
    await keep(page, "[data-table=clock]", "CSV", "clock.csv");
    const size = await page
      .locator("[data-canvas=clock]")
      .evaluate((box) => [box.clientWidth, box.clientHeight]);
    await silent(opened);

    const found = readBack();
    expect(found["clock.png"].size).toEqual(size.map((each) => 3 * each));
    expect(found["film.png"]).toMatchObject({ size, frames: 38, ms: 3000, first: true });
    for (const name of ["heatmap.npz", "kernel.npz", "map.npz", "kernel.csv", "clock.csv"])
      expect(found[name].error, name).toBeLessThan(1e-12);
    expect(found["kernel.csv"].head).toEqual(["距离", "余弦相似度"]);
    expect(found["clock.svg"]).toMatchObject({ lines: 8, boxes: 0 });
    expect(found["film.svg"]).toMatchObject({ seconds: [3], hands: 8 });
    expect(found["film.svg"].error).toBeLessThan(1e-3); // degrees, written with four decimals
    const picture = readFileSync(join(saved, "heatmap.svg"), "utf8");
    expect(picture).toContain("位置");
    expect(picture).toMatch(/@font-face/); // Chinese is there wherever the file goes
  });

  it("of attention hold its labels and weights", async () => {
    const opened = await open(browser, `${url}#room=attention&head=3&lang=en`);
    const { page } = opened;
    await page.waitForSelector(".heads .map");
    await painted(page, "attention", "base");
    const name = await keep(page, "[data-save=attention]", "SVG", "attention.svg");
    expect(name).toBe("clockhands-attention-room-attention-head-3-lang-en.svg");
    const picture = readFileSync(join(saved, "attention.svg"), "utf8");
    for (const word of ["Shi", "Jin", "strikes", "Zheng", "Tu", "town"])
      expect(picture).toContain(`>${word}<`);
    await keep(page, "[data-save=attention]", "NPZ", "attention.npz");
    await silent(opened);
    const found = readBack()["attention.npz"];
    expect(found).toMatchObject({ shape: [18, 18], masked: (18 * 17) / 2 });
    expect(found.error).toBeLessThan(1e-6);
  });
});
