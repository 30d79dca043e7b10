// The page in Firefox, where there is one: the same promises as in Chromium, kept by another engine.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root, SCHEMES, spread, written } from "./browser";
import { Firefox, firefoxPath, KEY } from "./firefox";

const path = firefoxPath();
const why = path ? "" : " (not tried: no firefox-esr here; install it, or name one in FIREFOX)";

const textOf = (selector: string) => document.querySelector<HTMLElement>(selector)?.innerText ?? "";

describe.skipIf(!path)(`in Firefox${why}`, () => {
  let firefox: Firefox;
  let english: string;

  beforeAll(async () => {
    english = written("firefox.html", "--lang", "en");
    firefox = await Firefox.launch(path!);
  });
  afterAll(() => firefox?.close());

  const said = (selector: string) => firefox.call(textOf, selector);
  const focus = (selector: string) =>
    firefox.call((each) => document.querySelector<HTMLElement>(each)!.focus(), selector);
  const press = async (selector: string, ...keys: string[]) => {
    await focus(selector);
    await firefox.press(...keys);
  };
  const painted = async (name: string, layer: "base" | "over") => {
    const selector = `[data-canvas="${name}"] canvas[data-layer="${layer}"]`;
    await firefox.call((each) => document.querySelector(each)!.scrollIntoView(), selector);
    await firefox.rendered();
    await firefox.rendered();
    return firefox.call(
      `(each) => (${spread})(document.querySelector(each))` as never as (
        each: string,
      ) => ReturnType<typeof spread>,
      selector,
    );
  };
  const show = async (fragment: string) => {
    await firefox.call((wanted) => {
      location.hash = wanted;
    }, fragment);
    await firefox.rendered();
  };

  it("every scheme is drawn, and all hands point to twelve at position 0", async () => {
    await firefox.goto(`${english}#room=instrument&pos=0&dim=512`);
    const hands = await painted("clock", "over");
    expect(hands.painted).toBeGreaterThan(100);
    expect(Math.max(-hands.left, hands.right)).toBeLessThan(6);
    expect(hands.bottom).toBeLessThan(5);
    expect(hands.top).toBeLessThan(-120);
    for (const scheme of SCHEMES.filter((each) => each !== "none")) {
      await show(`room=instrument&scheme=${scheme}`);
      expect((await painted("map", "base")).colours, scheme).toBeGreaterThan(3);
    }
    expect(firefox.noise).toEqual([]);
  });

  it("is moved by keys, and tells the numbers that Python gives", async () => {
    await firefox.goto(`${english}#room=instrument&pos=49&other=0`);
    await press("#slide-pos", KEY.Right);
    expect(await said("#view-kernel .read")).toBe("Distance 50: cosine similarity 0.36868");
    await press("#slide-pos", KEY.End);
    expect(await said("#view-clock .read")).toContain("Position 511:");
    const stops = new Set<string>();
    for (let k = 0; k < 6; k++) {
      stops.add(await firefox.call(() => document.activeElement!.outerHTML.slice(0, 80)));
      await firefox.press(KEY.Tab);
    }
    expect([...stops].filter((stop) => /^<(button|input|select|summary)/.test(stop))).toHaveLength(6);
    expect(firefox.noise).toEqual([]);
  });

  it.each(["en", "zh"])("walks through the lesson in %s", async (lang) => {
    await firefox.goto(`${english}#lang=${lang}`);
    expect(await said("h1")).toMatch(lang === "zh" ? /怎样知道位置/ : /knows position/);
    for (let step = 1; step <= 15; step++) {
      expect(await said("article:not([hidden]) .count")).toBe(String(step));
      expect(await said("article:not([hidden]) .try")).not.toBe("");
      await press("article:not([hidden]) details[data-right] summary", KEY.Enter);
      expect(await firefox.call(() => document.querySelectorAll("nav .done").length)).toBe(step);
      if (step < 15) await press(`nav a[href="#step-${step + 1}"]`, KEY.Enter);
    }
    expect(firefox.noise).toEqual([]);
  });

  it("takes a dropped config, and nonsense with one sentence", async () => {
    const drop = (name: string, held: string) =>
      firefox.call(
        (called, text) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([text], called));
          document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
        },
        name,
        held,
      );
    const heading = (wanted: string) =>
      firefox.until(
        (each) => document.querySelector(".idea h2")?.textContent?.includes(each) ?? false,
        wanted,
      );
    await firefox.goto(`${english}#room=instrument`);
    const bloom = join(root, "tests", "check", "fixtures", "alarms", "bloom-560m", "config.json");
    await drop("config.json", readFileSync(bloom, "utf8"));
    await heading("bloom (config.json): 24 layers · ALiBi");
    await drop("torn.json", "{");
    await firefox.until(
      () => document.querySelector(".bring p")?.textContent?.includes("torn.json is not JSON") ?? false,
    );
    await heading("bloom");
    expect(firefox.noise).toEqual([]);
  });

  it("may not ask the network, even when told to", async () => {
    await firefox.goto(`${english}#room=attention`);
    expect((await painted("attention", "base")).colours).toBeGreaterThan(20);
    expect(firefox.noise).toEqual([]);
    const asked = await firefox.call(() =>
      fetch("http://127.0.0.1:9/").then(String, (error: Error) => error.name),
    );
    expect(asked).toBe("TypeError");
    await firefox.rendered();
    expect(firefox.noise.join()).toContain("refused by connect-src");
    firefox.noise.length = 0;
  });
});
