// The widget's front end as a notebook runs it: a module with a model, a page in a frame, state to and fro.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { folder, launch, written } from "./browser";

const WIDGET = join(import.meta.dirname, "../../../src/clockhands/web/built/widget.js");

let browser: Browser;
let host: string;

beforeAll(async () => {
  browser = await launch();
  const page = readFileSync(new URL(written("framed.html", "--lang", "en")), "utf8");
  const data = JSON.stringify({ esm: readFileSync(WIDGET, "utf8"), page }).replaceAll("<", "\\u003c");
  const path = join(folder, "host.html");
  writeFileSync(
    path,
    `<!doctype html><meta charset="utf-8"><title>host</title><link rel="icon" href="data:,"><body data-jp-theme-light="false">
<div id="a"></div><div id="b"></div><script id="data" type="application/json">${data}</script><script type="module">
const { esm, page } = JSON.parse(document.getElementById("data").textContent);
const module = await import(URL.createObjectURL(new Blob([esm], { type: "text/javascript" })));
window.models = ["a", "b"].map((id) => {
  const values = { page, state: id === "a" ? "pos=3&other=1" : "scheme=alibi", height: 500, label: "label " + id };
  const heard = {};
  const model = {
    values,
    saved: 0,
    get: (name) => values[name],
    set: (name, value) => { values[name] = value; },
    save_changes: () => { model.saved++; },
    on: (event, act) => { heard[event] = act; },
    off: (event) => { delete heard[event]; },
    python: (name, value) => { values[name] = value; heard["change:" + name]?.(); },
    heard,
  };
  model.end = module.default.render({ model, el: document.getElementById(id) });
  return model;
});
</script>`,
  );
  host = pathToFileURL(path).href;
});
afterAll(() => browser.close());

const stateOf = (page: Page, which: number) =>
  page.evaluate(
    (index) => (window as never as { models: { values: { state: string } }[] }).models[index].values.state,
    which,
  );

it("holds pages that follow their models, and models that follow their pages", async () => {
  const context = await browser.newContext();
  await context.setOffline(true);
  const page = await context.newPage();
  const noise: string[] = [];
  page.on("console", (message) => noise.push(message.text()));
  page.on("pageerror", (error) => noise.push(error.message));
  await page.goto(host);
  const [first, second] = ["label a", "label b"].map((title) =>
    page.frameLocator(`iframe[title="${title}"]`),
  );
  const position = first.locator(".place.pos input[type=number]");
  await expect.poll(() => position.inputValue()).toBe("3");
  expect(await second.locator(".idea h2").innerText()).toBe("ALiBi");
  expect(await first.locator("html").getAttribute("data-theme")).toBe("dark");
  expect(await first.locator("h1").isVisible()).toBe(false);
  await position.fill("12");
  await position.press("Enter");
  await expect.poll(() => stateOf(page, 0)).toContain("pos=12");
  expect(await stateOf(page, 1)).toBe("scheme=alibi");
  await page.evaluate(() =>
    (window as never as { models: { python: (n: string, v: string) => void }[] }).models[0].python(
      "state",
      "pos=20&scheme=rope",
    ),
  );
  await expect.poll(() => position.inputValue()).toBe("20");
  expect(await first.locator(".idea h2").innerText()).toBe("RoPE");
  await page.evaluate(() => {
    document.body.dataset.jpThemeLight = "true";
  });
  const theme = () => first.locator("html").getAttribute("data-theme");
  await expect.poll(theme).toBe("light");
  for (const [ink, expected] of Object.entries({
    "oklch(0.9 0 0)": "dark",
    "color(srgb 0.1 0 0.2)": "light",
  })) {
    await page.evaluate((color) => {
      delete document.body.dataset.jpThemeLight;
      document.body.style.color = color; // as hosts write it that don't mark their pages
    }, ink);
    await expect.poll(theme).toBe(expected);
  }
  await page.evaluate(() => {
    for (const model of (window as never as { models: { end: () => void; heard: object }[] }).models)
      model.end();
  });
  expect(await page.locator("iframe").count()).toBe(0);
  expect(noise).toEqual([]);
  await context.close();
});
