// The page for everybody: keyboard, motion, contrast, narrow screens, both languages, and other people's models.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  folder,
  launch,
  open,
  painted,
  rendered,
  SCHEMES,
  settled,
  show,
  silent,
  tableOf,
  text,
  written,
} from "./browser";

let browser: Browser;
let english: string;
let chinese: string;

beforeAll(async () => {
  browser = await launch();
  english = written("page.html", "--lang", "en");
  chinese = written("page-zh.html", "--lang", "zh");
});
afterAll(() => browser.close());

describe("for everybody", () => {
  it("plays, and shows how to stop", async () => {
    const opened = await open(browser, `${english}#pos=0&speed=20`);
    const { page } = opened;
    expect(await text(page, "[data-control=play]")).toContain("Play"); // nothing moves by itself
    await page.locator("[data-control=play]").press("Enter");
    await page.waitForFunction(
      () => Number(document.querySelector<HTMLInputElement>("#slide-pos")?.value) > 3,
    );
    expect(await text(page, "[data-control=play]")).toContain("Pause");
    await page.locator("[data-control=play]").press("Enter");
    const stopped = await page.locator("#slide-pos").inputValue();
    await page.waitForTimeout(250);
    expect(await page.locator("#slide-pos").inputValue()).toBe(stopped);
    await silent(opened);
  });

  it("steps and never sweeps where less motion is wanted", async () => {
    const angles = async (reducedMotion: "reduce" | "no-preference") => {
      const opened = await open(browser, `${english}#dim=2&pos=0&other=0&speed=2`, { reducedMotion });
      const { page } = opened;
      await page.locator("[data-canvas=clock]").scrollIntoViewIfNeeded();
      const seen = await page.evaluate(async () => {
        const canvas = document.querySelector<HTMLCanvasElement>("[data-canvas=clock] [data-layer=over]")!;
        document.querySelector<HTMLButtonElement>("[data-control=play]")!.click();
        const pictures = new Set<string>();
        const end = performance.now() + 1300;
        while (performance.now() < end) {
          await new Promise(requestAnimationFrame);
          pictures.add(canvas.toDataURL());
        }
        return pictures.size;
      });
      await page.locator("[data-control=play]").click();
      await silent(opened);
      return seen;
    };
    expect(await angles("reduce")).toBeLessThanOrEqual(4); // positions 0, 1, 2 and perhaps 3
    expect(await angles("no-preference")).toBeGreaterThan(8);
  });

  it.each([
    ["dark", "zh", "alibi"],
    ["light", "zh", "learned"],
  ] as const)("axe finds nothing serious: %s %s %s", async (colorScheme, lang, scheme) => {
    const opened = await open(browser, `${lang === "zh" ? chinese : english}#scheme=${scheme}`, {
      colorScheme,
    });
    const { page } = opened;
    for (const summary of await page.locator("summary").all()) await summary.click();
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
    const found = await page.evaluate(() =>
      (window as unknown as { axe: { run: () => Promise<{ violations: Violation[] }> } }).axe
        .run()
        .then(({ violations }) =>
          violations.map((each) => `${each.impact}: ${each.id} ${each.nodes[0]?.html}`),
        ),
    );
    expect(found.filter((each) => /^(serious|critical)/.test(each))).toEqual([]);
    await silent(opened);
  });

  it.each(["en", "zh"])("every scheme fits 360 pixels in %s", async (lang) => {
    const opened = await open(browser, english, { viewport: { width: 360, height: 740 } });
    for (const scheme of SCHEMES) {
      await show(opened.page, `scheme=${scheme}&lang=${lang}&context=1000000&pos=999999`);
      expect(await opened.page.evaluate(() => document.documentElement.scrollWidth), scheme).toBe(360);
    }
    await silent(opened);
  });

  it.each([
    { colorScheme: "dark" },
    { forcedColors: "active" },
    { forcedColors: "active", colorScheme: "dark" },
  ] as const)("is drawn in the colours asked for: %o", async (media) => {
    const opened = await open(browser, `${english}#scheme=rope`, media);
    for (const name of ["clock", "kernel", "spectrum"]) {
      expect((await painted(opened.page, name, "base")).painted).toBeGreaterThan(500);
    }
    await silent(opened);
  });

  it("is whole on paper", async () => {
    const opened = await open(browser, `${english}#scheme=rope`, { viewport: { width: 1280, height: 400 } });
    const { page } = opened;
    const blank = () =>
      page.locator("[data-canvas=precision] [data-layer=base]").evaluate((canvas: HTMLCanvasElement) => {
        const empty = Object.assign(document.createElement("canvas"), {
          width: canvas.width,
          height: canvas.height,
        });
        return canvas.toDataURL() === empty.toDataURL();
      });
    await rendered(page);
    expect(await blank()).toBe(true); // out of sight, not drawn
    expect((await page.pdf()).length).toBeGreaterThan(20_000);
    expect(await blank()).toBe(false);
    await silent(opened);
  });

  it("speaks Chinese throughout, and English at a click", async () => {
    const opened = await open(browser, chinese);
    const { page } = opened;
    expect(await page.evaluate(() => [document.documentElement.lang, document.title])).toEqual([
      "zh-CN",
      "Transformer 怎样知道位置 · clockhands",
    ]);
    for (const scheme of SCHEMES) {
      await show(page, `scheme=${scheme}&scaling=yarn`);
      const words = await page.locator("main").innerText();
      // Names stay in Latin letters; four English words in a row are a sentence that was forgotten.
      expect(words.match(/\b[a-z]{2,} [a-z]{2,} [a-z]{2,} [a-z]{2,}\b/g)).toBeNull();
      expect(words).not.toMatch(/[\u4e00-\u9fff][,;!?]|[,;!?][\u4e00-\u9fff]/);
    }
    await page.getByRole("button", { name: "English" }).click();
    expect(await text(page, "h1")).toBe("How a Transformer knows position");
    expect(await page.locator("main").innerText()).not.toMatch(/[\u4e00-\u9fff]/);
    await settled(page);
    expect(page.url()).toContain("lang=en");
    await silent(opened);
  });
});

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: { readonly html: string }[];
}

describe("with a model", () => {
  const llama = {
    model_type: "llama",
    hidden_size: 4096,
    num_attention_heads: 32,
    num_hidden_layers: 2,
    max_position_embeddings: 131072,
    rope_theta: 500000.0,
    rope_scaling: {
      rope_type: "llama3",
      factor: 8.0,
      low_freq_factor: 1.0,
      high_freq_factor: 4.0,
      original_max_position_embeddings: 8192,
    },
  };

  it("starts with its hands, and a hostile name stays a name", async () => {
    const name = "<img src=x onerror=alert(1)>\"'&";
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, "config.json"), JSON.stringify(llama));
    const opened = await open(browser, written("model.html", "--lang", "en", "--model", join(folder, name)));
    const { page } = opened;
    expect(await text(page, ".idea h2")).toBe(`${name}: 2 layers · RoPE, base 500,000`);
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.locator("#set-context").inputValue()).toBe("131072");
    await show(page, "pos=3&theme=dark"); // a link that doesn't name the scheme
    expect(await text(page, ".idea h2")).toContain(name);
    const rows = await tableOf(page, "spectrum");
    expect(rows.length).toBe(64);
    // pairs 29, 30 and 31 of Llama 3.1, as in the docstring of by_parts_inv_freq
    const speeds = rows.slice(29, 32).map((row) => Number(row[1]).toFixed(8));
    expect(speeds).toEqual(["0.00216657", "0.00137189", "0.00085675"]);
    await silent(opened);
  });

  it.each([
    { model_type: "t5", relative_attention_num_buckets: 1e9, relative_attention_max_distance: 1e9 },
    { model_type: "t5", relative_attention_num_buckets: 64, relative_attention_max_distance: 1e15 },
    { model_type: "gpt2", n_positions: 1e12, n_embd: 65536 },
    { model_type: "gpt2", n_positions: 1, n_embd: 1, n_head: 1 },
    { model_type: "llama", rope_theta: 1e-300, max_position_embeddings: 1e18 },
    {
      model_type: "llama",
      rope_theta: 1e300,
      head_dim: 2,
      rope_scaling: { rope_type: "linear", factor: 1e300 },
    },
    { model_type: "bloom", n_head: 100000 },
  ])("bears any numbers of a file: %o", async (config) => {
    const path = join(folder, "config-odd.json");
    writeFileSync(path, JSON.stringify(config));
    const opened = await open(browser, written("odd.html", "--lang", "en", "--model", path));
    await opened.page.setViewportSize({ width: 1280, height: 4000 });
    expect(await text(opened.page, ".idea h2")).toContain("config-odd.json");
    expect(await opened.page.locator("[id^=view-]").count()).toBe(8);
    await silent(opened);
  });

  it.each([
    ["gpt2", 1024],
    ["t5", 512],
    ["gemma3_text", 131072],
    ["deberta", 512],
  ])("draws or says that it can't: %s", async (model_type, context) => {
    const path = join(folder, `${model_type}.json`);
    writeFileSync(path, JSON.stringify({ model_type }));
    const opened = await open(browser, written(`${model_type}.html`, "--lang", "en", "--model", path));
    expect(await text(opened.page, ".idea h2")).toContain(`${model_type}.json: `);
    expect(await opened.page.locator("#set-context").inputValue()).toBe(String(context));
    await silent(opened);
  });
});
