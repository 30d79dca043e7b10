// What people bring themselves, and two schemes side by side, in a real browser.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import AxeBuilder from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import golden from "../../golden/files.json";
import { launch, open, painted, rendered, settled, show, silent, tableOf, text, written } from "./browser";

const root = join(import.meta.dirname, "..", "..", "..");
const fixture = (name: string) =>
  readFileSync(join(root, "tests", "check", "fixtures", "alarms", name, "config.json"));

let browser: Browser;
let english: string;

beforeAll(async () => {
  browser = await launch();
  english = written("own.html", "--lang", "en");
});
afterAll(() => browser.close());

const bring = async (page: Page, name: string, buffer: Buffer) => {
  const said = page.locator(".bring p").first();
  const before = await said.innerText();
  await page.locator('[data-control="file"]').setInputFiles({ name, mimeType: "", buffer });
  await expect.poll(() => said.innerText()).not.toBe(before);
  return said.innerText();
};

async function drop(page: Page, name: string, held: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([called, text]) => {
      const given = new DataTransfer();
      given.items.add(new File([text], called));
      return given;
    },
    [name, held],
  );
  await page.dispatchEvent("body", "drop", { dataTransfer });
}

async function serious(page: Page): Promise<string[]> {
  await page.evaluate(AxeBuilder.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as never as { axe: typeof AxeBuilder }).axe.run(),
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 120)}`);
}

describe("a file of one's own", () => {
  it("is chosen, dropped or pasted, and drawn; a broken one leaves what was there", async () => {
    const opened = await open(browser, `${english}#room=instrument`);
    const { page } = opened;
    expect(await bring(page, "config.json", fixture("llama-3.1-8b"))).toContain("llama (config.json)");
    expect(await text(page, ".idea h2")).toBe("llama (config.json): 32 layers · RoPE, base 500,000");
    expect(await page.locator("#set-context").inputValue()).toBe("131072");
    const rows = await tableOf(page, "spectrum");
    // pairs 29, 30 and 31 of Llama 3.1, as in the docstring of by_parts_inv_freq
    const speeds = rows.slice(29, 32).map((row) => Number(row[1]).toFixed(8));
    expect(speeds).toEqual(["0.00216657", "0.00137189", "0.00085675"]);
    for (const [name, held, said] of [
      ["config.json", "{", "config.json is not JSON"],
      ["nan.json", '{"a": NaN}', "nan.json is not JSON"],
      ["deep.json", "[".repeat(200_000), "is not JSON"],
      ["a.json", "{}", "is nothing that this page can draw"],
      ["<img src=x>.npz", "PK\x03\x04torn off", "<img src=x>.npz is broken"],
      ["picture.png", "\x89PNG\r\n", "is nothing that this page can draw"],
      ["empty", "", "empty is nothing that this page can draw"],
    ]) {
      expect(await bring(page, name, Buffer.from(held, "latin1")), held.slice(0, 20)).toContain(said);
      expect(await text(page, ".idea h2")).toContain("llama (config.json)");
    }
    expect(await page.locator("main img").count()).toBe(0);
    await drop(page, "config.json", fixture("t5-small").toString());
    await expect.poll(() => text(page, ".idea h2")).toContain("T5");
    await page.evaluate((config) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text", config);
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
    }, fixture("bloom-560m").toString());
    await expect.poll(() => text(page, ".idea h2")).toBe("bloom (the pasted text): 24 layers · ALiBi");
    await silent(opened);
  });

  it("may land in any room, and beside another", async () => {
    const opened = await open(browser, `${english}#room=design`);
    const { page } = opened;
    await drop(page, "torn.json", "{");
    await expect.poll(() => page.locator(".brought").innerText()).toContain("torn.json is not JSON");
    expect(await page.locator("main.design").count()).toBe(1);
    await drop(page, "config.json", fixture("gpt2").toString());
    await expect.poll(() => page.locator("main.instrument").count()).toBe(1);
    expect(await text(page, ".idea h2")).toContain("gpt2 (config.json): 12 layers · learned");
    await page.locator("[data-control=two]").click();
    await page
      .locator('[data-control="file-b"]')
      .setInputFiles({ name: "config.json", mimeType: "", buffer: fixture("mpt-7b") });
    await expect.poll(() => page.locator(".idea h2").nth(1).innerText()).toContain("mpt (config.json)");
    expect(await text(page, ".idea h2")).toContain("gpt2");
    await silent(opened);
  });

  it("may be what clockhands check says of it", async () => {
    const python = process.env.CLOCKHANDS_PYTHON ?? join(root, ".venv", "bin", "python");
    const target = join(root, "tests", "check", "fixtures", "alarms", "gemma-3-1b");
    const report = execFileSync(python, ["-m", "clockhands", "check", target, "--format", "json"], {
      env: { ...process.env, PYTHONPATH: join(root, "src") },
    });
    const opened = await open(browser, `${english}#room=instrument`);
    const { page } = opened;
    expect(await bring(page, "report.json", report)).toContain("kinds of layers: 2");
    expect(await page.locator("#set-layer option").count()).toBe(2);
    await show(page, "lang=zh&scheme=model");
    expect(await bring(page, "x.json", Buffer.from("[]"))).toBe(
      "本页画不了 x.json：请给出 config.json、clockhands check --format json 的输出、clockhands attend 的文件，或 .npz、.safetensors 格式的 q 和 k",
    );
    await silent(opened);
  });

  it("may be queries and keys", async () => {
    const opened = await open(browser, `${english}#room=instrument`);
    const { page } = opened;
    const { base64, score, pairs } = golden["packed.npz"];
    expect(await bring(page, "qk", Buffer.from(base64, "base64"))).toContain(
      "q and k. Heads: 4, tokens: 6, width: 8",
    );
    await page.locator("#set-head").fill("3");
    await page.locator("#set-head").press("Tab");
    const shown = (await tableOf(page, "map"))[4];
    const near = shown.slice(1).map((each) => Number(each.replace("−", "-")));
    score!.slice(4, 5)[0].forEach((each, k) => {
      expect(near[k]).toBeCloseTo(each, 2);
    });
    const lengths = (await tableOf(page, "pairs")).map((row) => Number(row[1]));
    expect(lengths).toEqual(pairs!.half.mean.map((each) => Number(each.toPrecision(5))));
    expect((await painted(page, "pairs", "over")).painted).toBeGreaterThan(300);
    expect((await painted(page, "amplitudes", "base")).painted).toBeGreaterThan(1000);
    await silent(opened);
  });
});

describe("two schemes side by side", () => {
  it("share the position and the scales, and a link holds both", async () => {
    const opened = await open(browser, `${english}#pos=50`);
    const { page } = opened;
    await page.locator("[data-control=two]").click();
    await page.locator("#set-dim-b").fill("128");
    await page.locator("#set-dim-b").press("Tab");
    await settled(page);
    expect(new URL(page.url()).hash).toBe("#two=true&pos=50&b.dim=128");
    const reads = async (view: string) =>
      (await page.locator(`#view-${view} [data-side] .read`).allInnerTexts()).map((each) =>
        each.split(" ").at(-1),
      );
    const [first, second] = await reads("kernel");
    expect(first).toBe("0.36868"); // clockhands.analysis.kernel at 50, d = 32
    const row = (await tableOf(page, "difference")).find(([name]) => name.startsWith("50"))!;
    const difference = Number(row[1].replace("−", "-"));
    expect(difference).toBeCloseTo(Number(first) - Number(second), 3); // i = 50, j = 0
    expect((await painted(page, "difference", "base")).colours).toBeGreaterThan(50);
    await page.locator("#slide-pos").focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.locator("#view-clock [data-side] .read").allInnerTexts()).toEqual([
      expect.stringContaining("Position 51:"),
      expect.stringContaining("Position 51:"),
    ]);
    const words = await page.locator("main").innerText();
    await settled(page);
    await page.reload();
    await page.waitForSelector(".view");
    await tableOf(page, "difference");
    await rendered(page);
    expect(await page.locator("main").innerText()).toBe(words);
    expect(await serious(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 780 });
    await rendered(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    const sides = await page.locator("#view-clock [data-side]").all();
    const [top, below] = await Promise.all(sides.map((each) => each.boundingBox()));
    expect(below!.y).toBeGreaterThan(top!.y + top!.height - 1);
    await silent(opened);
  });

  it("may have nothing in common, and end where the shorter ends", async () => {
    const opened = await open(browser, `${english}#two=true&scheme=learned&rows=64&b.scheme=alibi&pos=63`);
    const { page } = opened;
    expect(await page.locator("#slide-pos").getAttribute("max")).toBe("63");
    expect(await text(page, "#view-difference .note")).toContain("there is no difference to draw");
    expect(await text(page, "#view-kernel [data-side=''] .note")).toContain("no rule");
    expect(await text(page, "#view-kernel [data-side='-b'] .read")).toContain("Distance 63: bias");
    expect(await page.locator("#view-clock dd").count()).toBe(1); // neither has hands: said once
    await page.locator("[data-control=two]").click();
    expect(await page.locator("[data-side]").count()).toBe(0);
    await silent(opened);
  });
});
