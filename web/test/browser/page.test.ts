// The page as people get it: opened from the disk, with the network refused.
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { folder, launch, open, painted, rendered, settled, show, silent, written } from "./browser";

const SCHEMES = ["sinusoidal", "learned", "rope", "alibi", "t5", "none"];
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
let chinese: string;

beforeAll(async () => {
  browser = await launch();
  english = written("page.html", "--lang", "en");
  chinese = written("page-zh.html", "--lang", "zh");
});
afterAll(() => browser.close());

async function text(page: Page, selector: string): Promise<string> {
  await rendered(page);
  return page.locator(selector).first().innerText();
}
const ofView = (page: Page, view: string) => text(page, `#view-${view} .read`);

it("is one small file", () => {
  expect(statSync(fileURLToPath(english)).size).toBeLessThan(200_000);
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
    await opened.page.locator("[data-table=clock] summary").click();
    const cells = await opened.page.locator("[data-table=clock] td").allInnerTexts();
    expect(cells).toEqual(["0", "6.2832", "0.16", "57.3", "0.8415", "0.5403"]);
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
    const opened = await open(browser, english);
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
    await page.locator("[data-table=map] summary").click();
    expect((await page.locator("[data-table=map] td").allInnerTexts()).length).toBe(9 * 10);
    expect(await page.locator("[data-table=map] tr").nth(1).innerText()).toMatch(/^33\t/); // 37 in the middle
    await show(page, "scheme=t5");
    expect(await text(page, "#view-kernel .caution")).toContain("learned");
    expect(await text(page, "#view-clock .lacks")).toBe("This scheme has no clock hands.");
    await silent(opened);
  });
});

describe("the state", () => {
  it("survives a reload, and a link gives the same picture", async () => {
    const opened = await open(browser, english);
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
    expect(await opened.page.locator(".view").count()).toBe(8);
    await silent(opened);
  });
});

describe("for everybody", () => {
  it.each(["rope", "alibi"])("every control of %s is reached with the Tab key", async (scheme) => {
    const opened = await open(browser, `${english}#scheme=${scheme}&reach=100`);
    const { page } = opened;
    const wanted = await page.evaluate(() => {
      const all = document.querySelectorAll("button:not(:disabled), select, input, summary, [tabindex='0']");
      all.forEach((element, k) => {
        element.setAttribute("data-stop", String(k));
      });
      return all.length;
    });
    expect(wanted).toBeGreaterThan(15);
    const reached = new Set<string | null>();
    for (let k = 0; k < wanted + 5; k++) {
      await page.keyboard.press("Tab");
      reached.add(await page.evaluate(() => document.activeElement?.getAttribute("data-stop") ?? null));
    }
    reached.delete(null);
    expect(reached.size).toBe(wanted);
    await silent(opened);
  });

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
    ["light", "en", "sinusoidal"],
    ["dark", "zh", "rope&scaling=yarn"],
    ["dark", "en", "alibi"],
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
    await page.locator("[data-table=spectrum] summary").click();
    const rows = await page.locator("[data-table=spectrum] tbody tr").allInnerTexts();
    expect(rows.length).toBe(64);
    // pairs 29, 30 and 31 of Llama 3.1, as in the docstring of by_parts_inv_freq
    const speeds = rows.slice(29, 32).map((row) => Number(row.split("\t")[1]).toFixed(8));
    expect(speeds).toEqual(["0.00216657", "0.00137189", "0.00085675"]);
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
