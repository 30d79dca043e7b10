// The widget where it lives: in a real JupyterLab with a kernel behind it, and in marimo.
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, painted } from "./browser";
import { jupyterLab, marimo, type Server } from "./servers";

const PATIENCE = { timeout: 30_000 };

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

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

/** What is done on the server's page, which may ask this machine alone. */
async function during(server: Server, act: (page: Page) => Promise<void>): Promise<void> {
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 1000 } });
    const foreign: string[] = [];
    await context.route(
      ({ hostname, protocol }) => hostname !== "127.0.0.1" && protocol.startsWith("http"),
      (route) => {
        foreign.push(route.request().url());
        return route.abort();
      },
    );
    const page = await context.newPage();
    await page.goto(server.url);
    await act(page);
    expect(foreign).toEqual([]);
    await context.close();
  } finally {
    await server.end();
  }
}

it("shows hands in JupyterLab, tells the kernel what is chosen, and follows it", async () => {
  const server = await jupyterLab("rope", [
    'import clockhands as ch\nw = ch.widget("rope", lang="en", height=500, pos=3)\nw',
    'print(w.state.get("pos"), w.state.get("other"))',
    'w.set(pos=20, other=None)\nprint("set")',
  ]);
  await during(server, async (page) => {
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
  });
}, 90_000);

it("is an element of marimo whose choices set other cells going", async () => {
  await during(await marimo("clock_hands_marimo.py"), async (page) => {
    const frame = await framed(page);
    const position = frame.locator(".place.pos input[type=number]");
    expect(await frame.locator("html").getAttribute("data-theme")).toBe("light"); // as marimo is here
    const text = page.locator("body");
    await expect.poll(() => text.innerText(), PATIENCE).toContain("Positions 10 and 4 are alike by 0.7432");
    expect(await position.inputValue()).toBe("10");
    await position.fill("9");
    await position.press("Enter");
    await expect.poll(() => text.innerText(), PATIENCE).toContain("Positions 9 and 4 are alike by 0.7361");
    await page.getByText("中文").click();
    await expect.poll(() => text.innerText(), PATIENCE).toContain("相似度随距离下降吗？");
  });
}, 90_000);
