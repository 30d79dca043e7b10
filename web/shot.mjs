import { execFileSync } from "node:child_process";
import { chromium } from "playwright-core";

execFileSync("/work/main/.venv/bin/python", ["-m", "clockhands", "page", "-o", "/tmp/d2x.html"], {
  env: { ...process.env, PYTHONPATH: "/tmp/d2/src" },
});
const b = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
export async function shot(
  name,
  hash,
  { width = 1280, height = 900, dark = false, file = null, full = true, act = null, forced = false } = {},
) {
  const c = await b.newContext({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    ...(forced ? { forcedColors: "active" } : {}),
  });
  const p = await c.newPage();
  p.on("console", (m) => console.log(name, "console", m.type(), m.text()));
  p.on("pageerror", (e) => console.log(name, "ERR", e.stack));
  await p.goto("file:///tmp/d2x.html#" + hash);
  await p.waitForSelector("main");
  if (file) {
    await p.locator("[data-control=file]").setInputFiles(file);
    await p.waitForTimeout(600);
    console.log(name, await p.locator(".bring p").first().innerText());
  }
  if (act) await act(p);
  if (full) {
    const h = await p.evaluate(() => document.documentElement.scrollHeight);
    await p.setViewportSize({ width, height: Math.min(h + 50, 9000) });
    await p.waitForTimeout(400);
  }
  await p.screenshot({ path: `/tmp/d2s/${name}.png` });
  const over = await p.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (over > 0) console.log(name, "overflows by", over);
  await c.close();
}
const jobs = (await import(process.argv[2])).default;
await jobs(shot);
await b.close();
