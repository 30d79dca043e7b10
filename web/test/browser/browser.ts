// A real Chromium that may not use the network, and pages written by the command that users run.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Frame, type Page } from "playwright-core";
import { afterAll, expect } from "vitest";

export const SCHEMES = ["sinusoidal", "learned", "rope", "alibi", "t5", "none"];

export const root = join(import.meta.dirname, "..", "..", "..");
export const PYTHON = process.env.CLOCKHANDS_PYTHON ?? join(root, ".venv", "bin", "python");

function chromiumPath(): string {
  const places = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"];
  const found = places.find((place) => place && existsSync(place));
  if (!found) throw new Error("no Chromium: install the package chromium, or name it in CHROMIUM");
  return found;
}

// Chromium by itself asks its maker's hosts for updates and more: a test leaves no machine.
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath(), args: FLAGS });
}

/** What a file of tests writes; it is gone when they have ended, unless it holds what somebody must look at. */
export const folder = mkdtempSync(join(tmpdir(), "clockhands-page-"));
let wanted = false;
export function keepFolder(): void {
  wanted = true;
}
afterAll(() => {
  if (!wanted) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** `clockhands page` with these options; the address of the file. */
export function written(name: string, ...options: string[]): string {
  const path = join(folder, name);
  execFileSync(PYTHON, ["-m", "clockhands", "page", "-o", path, ...options], {
    env: { ...process.env, PYTHONPATH: join(root, "src") },
    stdio: ["ignore", "ignore", "inherit"],
  });
  return pathToFileURL(path).href;
}

export interface Opened {
  readonly page: Page;
  /** Everything that was asked of the network, said on the console, or thrown. */
  readonly noise: string[];
}

export async function open(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  first: () => void = () => {}, // in the page, before its own scripts
): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  await context.setOffline(true);
  const page = await context.newPage();
  await page.addInitScript(first);
  const noise: string[] = [];
  const file = url.split("#")[0];
  page.on("request", (request) => {
    const asked = request.url().split("#")[0];
    if (asked !== file && !asked.startsWith("data:")) noise.push(`request ${request.url()}`);
  });
  page.on("console", (message) => noise.push(`${message.type()} ${message.text()}`));
  page.on("pageerror", (error) => noise.push(`thrown ${error.message}`));
  await page.goto(url);
  await page.waitForSelector("main button:visible");
  return { page, noise };
}

/** The fragment written to the address, once it is. */
export const settled = (page: Page) => page.waitForTimeout(450);

/** Until what was just done is on the screen. */
export const rendered = (page: Page | Frame) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

export async function text(page: Page, selector: string): Promise<string> {
  await rendered(page);
  return page.locator(selector).first().innerText();
}

export async function show(page: Page, fragment: string): Promise<void> {
  await page.evaluate(
    (wanted) =>
      new Promise<unknown>((heard) => {
        if (location.hash === `#${wanted}`) heard(null);
        addEventListener("hashchange", heard, { once: true });
        location.hash = wanted;
      }),
    fragment,
  );
  await rendered(page);
}

/** The rows of a table as a reader sees them, opened first; names of rows and cells alike. */
export async function tableOf(page: Page, name: string): Promise<string[][]> {
  const place = page.locator(`[data-table="${name}"]:visible`).first();
  if ((await place.getAttribute("open")) === null) await place.locator("summary").click();
  await place.locator("tbody").waitFor({ state: "attached" });
  return place
    .locator("tbody tr")
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent!)));
}

interface Spread {
  /** Pixels drawn on. */
  readonly painted: number;
  readonly colours: number;
  /** Bounds of what is drawn, in CSS pixels from the middle of the picture: right and down are positive. */
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** What is on a canvas; it runs in the page. */
export function spread(element: HTMLCanvasElement): Spread {
  const { width, height } = element;
  const { data } = element.getContext("2d")!.getImageData(0, 0, width, height);
  const dots = width / element.clientWidth;
  const colours = new Set<number>();
  const found = { painted: 0, colours: 0, left: width, right: -width, top: height, bottom: -height };
  for (let k = 0; k < width * height; k++) {
    if (data[4 * k + 3] < 40) continue;
    found.painted++;
    colours.add((data[4 * k] << 16) | (data[4 * k + 1] << 8) | data[4 * k + 2]);
    const x = ((k % width) + 0.5 - width / 2) / dots;
    const y = (Math.floor(k / width) + 0.5 - height / 2) / dots;
    found.left = Math.min(found.left, x);
    found.right = Math.max(found.right, x);
    found.top = Math.min(found.top, y);
    found.bottom = Math.max(found.bottom, y);
  }
  return { ...found, colours: colours.size };
}

/** What is drawn on a layer of a picture, once it is in sight. */
export async function painted(page: Page | Frame, name: string, layer: "base" | "over"): Promise<Spread> {
  const canvas = page.locator(`[data-canvas="${name}"] canvas[data-layer="${layer}"]`);
  await canvas.scrollIntoViewIfNeeded();
  await rendered(page);
  await rendered(page); // once to be in sight, once to be drawn
  return canvas.evaluate(spread);
}

export async function silent({ page, noise }: Opened): Promise<void> {
  await page.waitForTimeout(50);
  expect(noise).toEqual([]);
  await page.context().close();
}
