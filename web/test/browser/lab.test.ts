// The widget where it lives: in a real JupyterLab, with a kernel behind it.
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, painted } from "./browser";
import { jupyterLab, type Server } from "./servers";

const PATIENCE = { timeout: 30_000 };

let browser: Browser;
let lab: Server | undefined;

beforeAll(async () => {
  browser = await launch();
  lab = await jupyterLab({
    rope: [
      'import clockhands as ch\nw = ch.widget("rope", lang="en", height=500, pos=3)\nw',
      'print(w.state.get("pos"), w.state.get("other"))',
      'w.set(pos=20, other=None)\nprint("set")',
    ],
  });
});
afterAll(async () => {
  await browser?.close();
  await lab?.end();
});

/** A page that may ask this machine alone; what it asks of others is written down. */
async function opened(url: string): Promise<{ page: Page; foreign: string[] }> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 1000 } })).newPage();
  const foreign: string[] = [];
  await page.route(
    ({ hostname, protocol }) => hostname !== "127.0.0.1" && protocol.startsWith("http"),
    (route) => {
      foreign.push(route.request().url());
      return route.abort();
    },
  );
  await page.goto(url);
  return { page, foreign };
}

/** Run a cell and give what it printed. */
async function run(page: Page, index: number): Promise<string> {
  const cell = page.locator(".jp-Notebook .jp-CodeCell").nth(index);
  const prompt = cell.locator(".jp-InputPrompt").first();
  const before = await prompt.innerText();
  await cell.locator(".cm-content").click();
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => prompt.innerText(), PATIENCE).not.toBe(before);
  await expect.poll(() => prompt.innerText(), PATIENCE).toMatch(/\[\d+\]/);
  return (await cell.locator(".jp-OutputArea-output").allInnerTexts()).join("").trim();
}

async function framed(page: Page): Promise<Frame> {
  const element = await page.waitForSelector('iframe[name="clockhands-widget"]', PATIENCE);
  const frame = await element.contentFrame();
  if (frame === null) throw new Error("the widget's frame holds no page");
  await frame.waitForSelector(".transport", PATIENCE);
  return frame;
}

it("shows hands in JupyterLab, tells the kernel what is chosen, and follows it", async () => {
  const { page, foreign } = await opened(lab!.url.replace("%s", "rope"));
  await page.getByText("| Idle").waitFor(PATIENCE); // the kernel, in the status bar
  await run(page, 0);
  const frame = await framed(page);
  const position = frame.locator(".place.pos input[type=number]");
  await expect.poll(() => position.inputValue(), PATIENCE).toBe("3");
  expect(await frame.locator(".idea h2").innerText()).toBe("Rotary position embedding");
  expect(await frame.locator("html").getAttribute("data-theme")).toBe("dark"); // as JupyterLab is here
  expect((await painted(frame, "clock", "over")).painted).toBeGreaterThan(500);
  expect(await run(page, 1)).toBe("3 None");

  await position.fill("12");
  await position.press("Enter");
  await expect.poll(() => run(page, 1), PATIENCE).toMatch(/^12 /);

  expect(await run(page, 2)).toBe("set");
  await expect.poll(() => position.inputValue(), PATIENCE).toBe("20");
  expect(foreign).toEqual([]);
  await page.context().close();
}, 90_000);
