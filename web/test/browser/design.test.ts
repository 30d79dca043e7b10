// The room where a ladder is bent: by mouse, finger and keys; what it says, and the Python that makes it.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import AxeBuilder from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { atRandom, BENDS, PLAIN, PRESETS, type Start } from "../../src/design/presets";
import { pythonOf } from "../../src/design/python";
import { type Ladder, ladderInvFreq } from "../../src/math/ladder";
import { ladderOf } from "../../src/schemes/design";
import { createState, setText } from "../../src/state/state";
import { launch, open, painted, rendered, settled, show, silent, text, written } from "./browser";

const root = join(import.meta.dirname, "..", "..", "..");
const python = process.env.CLOCKHANDS_PYTHON ?? join(root, ".venv", "bin", "python");

function ladderFrom(start: Start): Ladder {
  const state = createState();
  for (const name of BENDS) setText(state, name, start[name] ?? PLAIN[name]);
  return ladderOf(state);
}

// The copied code as it is, but for the last line: the description instead of the module, which needs torch.
const RUN = `
import json, sys
import numpy as np
found = []
for code in json.load(sys.stdin):
    space = {}
    code = code.replace("ch.make(", "ch.describe(").replace("ch.build(ch.OwnFrequencies(inv_freq))", "ch.OwnFrequencies(inv_freq)")
    exec(code, space)
    found.append([space["inv_freq"].tolist(), space["encoding"].inv_freq().tolist()])
print(json.dumps(found))
`;

it("is made by the Python that is copied, to 1e-12", () => {
  const starts: [number, Start][] = [
    ...PRESETS.map(([, , start]): [number, Start] => [32, start]),
    ...[1, 2, 3].map((seed): [number, Start] => [128, atRandom(seed)]),
    [2, {}],
    [64, { line: "0.3", moves: "0.4", bend: "0.1_0.4~0.35_-1.234~0.9_-7" }],
    [10, { deep: "0_-1~1_-2", layers: "3", depth: "2", line: "1" }],
    [10, { deep: "0_-1~1_-2", layers: "3", depth: "0" }],
    [16, { line: "0.2" }],
  ];
  const ladders = starts.map(([dim, start]): [number, Ladder] => [dim, ladderFrom(start)]);
  const printed = execFileSync(python, ["-c", RUN], {
    input: JSON.stringify(ladders.map(([dim, ladder]) => pythonOf(dim, ladder))),
    env: { ...process.env, PYTHONPATH: join(root, "src") },
  });
  const found: [number[], number[]][] = JSON.parse(printed.toString());
  found.forEach((both, n) => {
    const own = ladderInvFreq(...ladders[n]);
    for (const each of both) {
      expect(each.length).toBe(own.length);
      each.forEach((speed, i) => {
        expect(Math.abs(speed - own[i]), `${n}: ${i}`).toBeLessThanOrEqual(1e-12 * Math.abs(own[i]));
      });
    }
  });
});

describe("the room", () => {
  let browser: Browser;
  let english: string;
  beforeAll(async () => {
    browser = await launch();
    english = `${written("design.html", "--lang", "en")}#room=design`;
  });
  afterAll(() => browser.close());
  const bend = async (page: Page) => {
    await settled(page);
    return new URLSearchParams(new URL(page.url()).hash.slice(1)).get("bend");
  };
  const scored = async (page: Page, name: string) => {
    await rendered(page);
    return page.locator(".score div", { hasText: name }).locator("b").innerText();
  };

  it("says what each ladder is good for", async () => {
    const opened = await open(browser, english);
    const { page } = opened;
    expect(await scored(page, "Coverage")).toBe("8 / 16");
    await page.locator("[data-preset=mix]").click();
    // The first article's mix: the false echo at 181 that clockhands.claims has, and no slow hands
    expect(await scored(page, "Strongest false echo")).toBe("0.611");
    expect(await text(page, ".score")).toContain("at distance 181");
    expect(await text(page, ".score")).toContain("the slowest takes 1,235 tokens");
    expect(await text(page, "[data-code]")).toContain(
      'encoding = ch.make("mixed", d_model=32, base=10000, linear_weight=0.5, log_weight=0.5)',
    );
    await page.locator("[data-preset=p]").click();
    expect(await text(page, "[data-code]")).toContain("inv_freq[8:] = 0");
    await page.locator("[data-control=undo]").click();
    expect(await scored(page, "Strongest false echo")).toBe("0.611");
    await page.keyboard.press("Control+Shift+Z");
    expect(await text(page, "[data-code]")).toContain("inv_freq[8:] = 0");
    await page.locator("[data-preset=layers]").click();
    await page.locator("#which-ladder").selectOption("deep");
    await page.locator("#set-depth").fill("11");
    await page.locator("#set-depth").press("Tab");
    expect(await text(page, "[data-code]")).toContain("inv_freq = ladder(11)");
    expect(await text(page, ".score")).toContain("the slowest takes 2,649,"); // 2 pi * 10 ** (6 * 15 / 16)
    await page.getByRole("button", { name: "See it in the instrument" }).click();
    expect(await text(page, ".idea h2")).toBe("Your own ladder");
    expect(await page.locator("#view-clock").count()).toBe(1);
    await silent(opened);
  });

  it("is bent by the mouse: a point, or a hand that becomes one", async () => {
    const opened = await open(browser, english);
    const { page } = opened;
    expect((await painted(page, "ladder", "over")).painted).toBeGreaterThan(50);
    const box = (await page.locator("[data-canvas=ladder]").boundingBox())!;
    const [left, right, top, bottom] = [64, box.width - 22, 18, box.height - 36];
    const [low, high] = [-5, Math.log10(Math.PI) + 0.1]; // whole decades around the points
    const x = (share: number) => box.x + left + share * (right - left);
    const y = (log: number) => box.y + top + ((log - low) / (high - low)) * (bottom - top); // slow is high
    await page.mouse.move(x(0.5), y(-2));
    await page.mouse.down();
    await page.mouse.move(x(0.5), y(-2.5));
    await page.mouse.move(x(0.5), y(-3));
    await page.mouse.up();
    const points = (await bend(page))!.split("~").map((each) => each.split("_").map(Number));
    expect(points.length).toBe(3);
    expect(points[1][0]).toBeCloseTo(0.5, 2);
    expect(points[1][1]).toBeCloseTo(-3, 1);
    await page.keyboard.press("Control+z"); // one drag is one step
    expect(await bend(page)).toBeNull();
    await page.mouse.move(x(0.5), y(-0.5)); // nothing is there
    await page.mouse.down();
    await page.mouse.move(x(0.5), y(-3));
    await page.mouse.up();
    expect(await bend(page)).toBeNull();
    await silent(opened);
  });

  it("is bent by a finger, and by keys", async () => {
    const opened = await open(browser, english, { hasTouch: true, viewport: { width: 360, height: 780 } });
    const { page } = opened;
    const ladder = page.locator(".ladder");
    await ladder.scrollIntoViewIfNeeded();
    const box = (await page.locator("[data-canvas=ladder]").boundingBox())!;
    const touch = await page.context().newCDPSession(page);
    const at = (up: number) => [{ x: box.x + box.width - 22, y: box.y + up }];
    const high = Math.log10(Math.PI) + 0.1;
    const end = 18 + (box.height - 54) / (high + 5); // where -4 is, one decade below -5
    const before = await page.evaluate(() => scrollY);
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(end) });
    await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(end + 40) });
    await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(end + 80) });
    await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    const height = Number((await bend(page))!.split("_").at(-1));
    expect(height).toBeGreaterThan(-3.2);
    expect(await page.evaluate(() => scrollY)).toBe(before);
    await ladder.focus();
    await page.keyboard.press("PageUp");
    await page.keyboard.press("+");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowRight");
    expect(await text(page, ".panel .read")).toContain("Point 2 of 3: hand 9,");
    await page.keyboard.press("Delete");
    expect((await bend(page))!.split("~").length).toBe(2);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.evaluate(AxeBuilder.source);
    const { violations } = await page.evaluate(() =>
      (globalThis as never as { axe: typeof AxeBuilder }).axe.run(),
    );
    expect(
      violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id }) => id),
    ).toEqual([]);
    await silent(opened);
  });

  it("takes nonsense without harm", async () => {
    const opened = await open(browser, english);
    const { page } = opened;
    for (const fragment of [
      "bend=1_2~0_3",
      "bend=9_9~_",
      "bend=0_-99~1_99&layers=999&depth=-4",
      "deep=zz&line=9&moves=-1&dim=2",
      "moves=0",
    ]) {
      await show(page, `room=design&${fragment}`);
      expect(await page.locator("[id^=view-]").count(), fragment).toBe(4);
    }
    expect(await page.locator("#set-moves").inputValue()).toBe("0");
    await silent(opened);
  });
});
