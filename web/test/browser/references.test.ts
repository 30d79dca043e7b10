// What the rooms look like, beside pictures that somebody has looked at: test/browser/references/*.png.
//
// `npm run --prefix web references` draws them anew; look at each before it is committed. To be the same on every
// machine, letters come from one font (DejaVu Sans, which matplotlib brings) and the page's own Chinese glyphs.
// What may still differ, how edges of letters and fields are smoothed, is evened out: what is compared is the mean
// colour of 8 x 8 pixels.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { folder, keepFolder, launch, PYTHON, rendered, written } from "./browser";

const ANEW = process.env.REFERENCES === "anew"; // vitest --mode references
const CELL = 8; // pixels a side whose mean is compared
const ALIKE = 20; // of 255: cells that differ by less in each colour look alike
const MOST = 0.005; // of all cells may look otherwise

const ROPE = "scheme=rope&scaling=yarn&dim=64&context=8192&trained=2048&pos=1234&other=1000";
const NARROW = { viewport: { width: 360, height: 900 } };
const VIEWS: [string, string, BrowserContextOptions, string?][] = [
  ["lesson-light-en", "room=lesson&step=5&lang=en", {}],
  ["lesson-dark-zh-narrow", "room=lesson&step=5&lang=zh", { colorScheme: "dark", ...NARROW }, ".try"],
  ["instrument-light-zh", `room=instrument&${ROPE}&lang=zh`, {}],
  ["instrument-views-dark-en", `room=instrument&${ROPE}&lang=en`, { colorScheme: "dark" }, "#view-map"],
  ["instrument-forced-en", `room=instrument&${ROPE}&lang=en`, { forcedColors: "active" }, ".views"],
  ["instrument-light-zh-narrow", `room=instrument&${ROPE}&lang=zh`, NARROW, ".views"],
  ["design-light-en", "room=design&lang=en", {}],
  ["design-dark-zh", "room=design&lang=zh", { colorScheme: "dark" }],
  ["attention-light-zh", "room=attention&query=5&key=2&lang=zh", {}],
  [
    "attention-dark-en-narrow",
    "room=attention&query=5&key=2&lang=en",
    { colorScheme: "dark", ...NARROW },
    ".thumbs",
  ],
];

let browser: Browser;
let document_url: string;
let letters: string;

beforeAll(async () => {
  browser = await launch();
  document_url = written("references.html", "--lang", "en");
  const ask = "import matplotlib; print(matplotlib.get_data_path())";
  const fonts = execFileSync(PYTHON, ["-c", ask], { encoding: "utf8" }).trim();
  letters = readFileSync(join(fonts, "fonts", "ttf", "DejaVuSans.ttf")).toString("base64");
});
afterAll(() => browser.close());

/** In the page, before its own scripts: everything is written in the one font, on canvases too. */
function inOneFont(font: string): void {
  const name = "DejaVu of the references";
  const bytes = Uint8Array.from(atob(font), (letter) => letter.charCodeAt(0));
  document.fonts.add(new FontFace(name, bytes));
  const { set, get } = Object.getOwnPropertyDescriptor(CanvasRenderingContext2D.prototype, "font")!;
  Object.defineProperty(CanvasRenderingContext2D.prototype, "font", {
    get,
    set(wanted: string) {
      set!.call(this, wanted.replace(/(px) .*/, `$1 "${name}", "clockhands han"`));
    },
  });
  const style = new CSSStyleSheet();
  style.replaceSync(`* { font-family: "${name}", "clockhands han" !important; caret-color: transparent; }`);
  document.adoptedStyleSheets.push(style);
}

async function picture(fragment: string, options: BrowserContextOptions, top?: string): Promise<Buffer> {
  const context = await browser.newContext({
    viewport: { width: 1040, height: 900 },
    reducedMotion: "reduce",
    ...options,
  });
  await context.setOffline(true);
  const page = await context.newPage();
  await page.addInitScript(inOneFont, letters);
  await page.goto(`${document_url}#${fragment}`);
  await page.waitForSelector("main button:visible");
  await page.evaluate(() => document.fonts.ready);
  await page.evaluate((at) => {
    if (at) [...document.querySelectorAll(at)].find((each) => each.checkVisibility())?.scrollIntoView();
  }, top);
  await page.waitForTimeout(500); // what comes into sight is drawn
  await rendered(page);
  const shot = await page.screenshot();
  await context.close();
  return shot;
}

/** The share of cells that look otherwise, and a picture of where: red on what is there now. */
function difference(page: Page, one: Buffer, other: Buffer): Promise<{ share: number; where: string }> {
  return page.evaluate(
    async ([urls, cell, alike]) => {
      const drawn = urls.map(async (url) => {
        const image = new Image();
        image.src = url;
        await image.decode();
        const canvas = Object.assign(document.createElement("canvas"), {
          width: image.width,
          height: image.height,
        });
        const pen = canvas.getContext("2d", { willReadFrequently: true })!;
        pen.drawImage(image, 0, 0);
        return pen;
      });
      const [was, is] = await Promise.all(drawn);
      const { width, height } = is.canvas;
      if (was.canvas.width !== width || was.canvas.height !== height) return { share: 1, where: "" };
      const mean = (pen: typeof is, x: number, y: number) => {
        const { data } = pen.getImageData(x, y, cell, cell);
        const sums = [0, 0, 0];
        for (let k = 0; k < data.length; k++) if (k % 4 < 3) sums[k % 4] += data[k] / (cell * cell);
        return sums;
      };
      const marks: [number, number][] = [];
      let count = 0;
      for (let y = 0; y + cell <= height; y += cell)
        for (let x = 0; x + cell <= width; x += cell) {
          const [a, b] = [mean(was, x, y), mean(is, x, y)];
          if (a.some((value, k) => Math.abs(value - b[k]) > alike)) marks.push([x, y]);
          count++;
        }
      is.fillStyle = "rgb(255 0 0 / 0.5)";
      for (const [x, y] of marks) is.fillRect(x, y, cell, cell);
      return { share: marks.length / count, where: is.canvas.toDataURL() };
    },
    [[one, other].map((each) => `data:image/png;base64,${each.toString("base64")}`), CELL, ALIKE] as const,
  );
}

it.each(VIEWS)("looks as it was reviewed: %s", async (name, fragment, options, top) => {
  const place = join(import.meta.dirname, "references", `${name}.png`);
  const now = await picture(fragment, options, top);
  if (ANEW) writeFileSync(place, now);
  expect(existsSync(place), `no ${place}: npm run --prefix web references`).toBe(true);
  const page = await browser.newPage();
  const { share, where } = await difference(page, readFileSync(place), now);
  await page.close();
  if (share > MOST) {
    keepFolder();
    const seen = join(folder, `${name}.png`);
    writeFileSync(seen, where ? Buffer.from(where.split(",")[1], "base64") : now);
    expect.fail(`${(100 * share).toFixed(2)} % of ${name} look otherwise, red in ${seen}`);
  }
});
