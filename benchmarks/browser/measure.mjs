// Measures pages in a headless Chromium without a graphics card: `node measure.mjs TASK`, the task as JSON
// {what, file, …}; says what it found as JSON. One browser a task.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const { what, file, room = "", show, data, seconds = 120 } = JSON.parse(process.argv[2]);
const url = pathToFileURL(file).href;
const path = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
  (place) => place && existsSync(place),
);
const browser = await chromium.launch({
  executablePath: path,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-features=SpareRendererForSitePerProcess",
  ],
});
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
const page = await context.newPage();
page.setDefaultTimeout(1000 * seconds);
let crashed;
const fall = new Promise((_, failed) => {
  crashed = failed;
});
fall.catch(() => {});
page.on("crash", () => crashed(new Error("the page crashed")));

// What a page asks of a content delivery network comes from npm packages; all else is refused, and named.
const packages = createRequire(import.meta.url);
const folderOf = (name) => {
  let place = dirname(packages.resolve(name));
  while (!existsSync(join(place, "package.json"))) place = dirname(place);
  return place;
};
const SERVED = [
  [/\/require(\.min)?\.js$/, () => join(folderOf("requirejs"), "require.js")],
  [/\/d3(\.min)?\.js$/, () => join(folderOf("d3"), "dist", "d3.min.js")],
  [/\/jquery(\.min)?\.js$/, () => join(folderOf("jquery"), "dist", "jquery.min.js")],
];
const asked = [];
const refused = [];
await context.route(/^https?:/, (route) => {
  const wanted = route.request().url();
  const found = SERVED.find(([pattern]) => pattern.test(wanted));
  (found ? asked : refused).push(wanted);
  if (!found) return route.abort();
  return route.fulfill({ contentType: "text/javascript", body: readFileSync(found[1]()) });
});

// When something that a selector finds is first on the screen: milliseconds from the start of the page.
const seen = (selector) => {
  const shown = () => {
    const all = [...document.querySelectorAll(selector)];
    // A canvas counts when it is drawn on.
    const drawn = (each) =>
      each.localName !== "canvas" ||
      (each.width > 0 && each.getContext("2d")?.getImageData(0, 0, each.width, each.height).data.some(Boolean));
    if (!all.some(drawn)) return requestAnimationFrame(shown);
    requestAnimationFrame(() =>
      setTimeout(() => {
        window.firstSeen = performance.now();
      }),
    );
  };
  requestAnimationFrame(shown);
};
const firstSeen = async () => {
  await Promise.race([fall, page.waitForFunction(() => window.firstSeen, null, { polling: 50 })]);
  return page.evaluate(() => window.firstSeen);
};

/** Megabytes that the pages' processes have to themselves (Linux). */
async function memory() {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  let kilobytes = 0;
  for (const { type, id } of processInfo) {
    const rollup = `/proc/${id}/smaps_rollup`;
    if (type !== "renderer" || !existsSync(rollup)) continue;
    for (const [, some] of readFileSync(rollup, "utf8").matchAll(/^Private_\w+:\s+(\d+) kB/gm))
      kilobytes += Number(some);
  }
  return kilobytes / 1024;
}

/** A page that takes all there is would take it from others: it is ended, and says so. */
const MOST = 6144; // megabytes
function guard() {
  const timer = setInterval(async () => {
    if ((await memory().catch(() => 0)) < MOST) return;
    clearInterval(timer);
    crashed(new Error(`more than ${MOST} MB of memory`));
  }, 250);
}

const sorted = (values) => [...values].sort((a, b) => a - b);
const percentile = (values, share) => sorted(values)[Math.ceil(share * values.length) - 1];

const TASKS = {
  /** Until a page shows something. */
  async first() {
    await page.addInitScript(seen, show);
    guard();
    await Promise.race([fall, page.goto(`${url}#${room}`, { waitUntil: "commit" })]);
    const milliseconds = await firstSeen();
    await page.waitForTimeout(500);
    return { milliseconds, memory: await memory(), asked, refused };
  },

  /** 512 hands play for some seconds: work of the main thread a frame, and time from frame to frame. */
  async play() {
    await page.goto(`${url}#room=instrument&dim=1024&context=100000&pos=0&speed=20`);
    await page.locator("[data-canvas=clock]").scrollIntoViewIfNeeded();
    await page.waitForTimeout(1000);
    await browser.startTracing(page, {
      categories: ["devtools.timeline", "disabled-by-default-devtools.timeline", "toplevel", "__metadata"],
    });
    await page.locator("[data-control=play]").click();
    await page.waitForTimeout(8000);
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
    const fired = traceEvents.filter(({ name }) => name === "FireAnimationFrame");
    const { pid, tid } = fired[0];
    const starts = sorted(fired.filter((each) => each.tid === tid && each.pid === pid).map(({ ts }) => ts)).slice(30);
    const tasks = traceEvents.filter((e) => e.name === "RunTask" && e.pid === pid && e.tid === tid && e.dur);
    const work = new Array(starts.length - 1).fill(0);
    for (const { ts, dur } of tasks) {
      // A frame's task begins a little before its animation frame is fired.
      let k = starts.findIndex((start) => start >= ts);
      if (k > 0 && starts[k] > ts + dur) k--;
      if (k >= 0 && k < work.length) work[k] += dur / 1000;
    }
    const gaps = starts.slice(1).map((start, k) => (start - starts[k]) / 1000);
    const of = (values) => ({ half: percentile(values, 0.5), most: percentile(values, 0.95) });
    return { frames: gaps.length, work: of(work), gaps: of(gaps) };
  },

  /** Where the time of the main thread goes while a page opens, and while 512 hands play: [name, place, ms]. */
  async profile() {
    const session = await context.newCDPSession(page);
    await session.send("Profiler.enable");
    await session.send("Profiler.setSamplingInterval", { interval: 200 });
    const during = async (act) => {
      await session.send("Profiler.start");
      await act();
      const { profile } = await session.send("Profiler.stop");
      const nodes = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
      const spent = new Map();
      profile.samples.forEach((id, n) => {
        const { functionName, url: place } = nodes.get(id);
        if (functionName === "(idle)") return;
        const name = JSON.stringify([functionName || "(without a name)", place.split("/").pop()]);
        spent.set(name, (spent.get(name) ?? 0) + profile.timeDeltas[n] / 1000);
      });
      return [...spent].map(([name, time]) => [...JSON.parse(name), time]).sort((a, b) => b[2] - a[2]);
    };
    const opening = await during(async () => {
      await page.goto(`${url}#room=instrument&dim=1024&context=100000&pos=0&speed=20`);
      await page.locator("main button").first().waitFor();
      await page.waitForTimeout(1000);
    });
    await page.locator("[data-canvas=clock]").scrollIntoViewIfNeeded();
    await page.waitForTimeout(1000);
    const playing = await during(async () => {
      await page.locator("[data-control=play]").click();
      await page.waitForTimeout(8000);
    });
    return { opening, playing };
  },

  /** A map of a million positions: first painted, then zoomed step by step. */
  async map() {
    await page.goto(`${url}#room=instrument&dim=512&pos=500000&other=499990`);
    await page.locator("[data-canvas=map]").scrollIntoViewIfNeeded();
    await page.waitForTimeout(1000);
    const timed = (act) =>
      page.evaluate(
        ([source]) =>
          new Promise((done) => {
            const canvas = document.querySelector("[data-canvas=map] [data-layer=base]");
            const { clearRect } = CanvasRenderingContext2D.prototype; // what a drawing begins with
            let drawn = false;
            CanvasRenderingContext2D.prototype.clearRect = function (...box) {
              if (this.canvas === canvas) drawn = true;
              clearRect.apply(this, box);
            };
            const wait = () =>
              requestAnimationFrame(() =>
                drawn
                  ? setTimeout(() => {
                      CanvasRenderingContext2D.prototype.clearRect = clearRect;
                      done(performance.now() - start);
                    })
                  : wait(),
              );
            const start = performance.now();
            if (source === "zoom") document.querySelector("[data-control=zoom-in]").click();
            else location.hash = source;
            wait();
          }),
        [act],
      );
    const first = await timed("room=instrument&dim=512&context=1000000&pos=500000&other=499990");
    const steps = [];
    for (let k = 0; k < 10; k++) {
      await page.waitForTimeout(300);
      steps.push(await timed("zoom"));
    }
    return { first, half: percentile(steps, 0.5), most: Math.max(...steps), memory: await memory() };
  },

  /** The pointer over a map of 4,096 tokens: handling alone, and until it is on the screen. */
  async hover() {
    await page.goto(`${url}#room=attention`);
    await page.locator("input[type=file]").first().setInputFiles(data);
    await page.waitForFunction(() => document.querySelectorAll(".thumbs button").length === 12);
    await page.locator(".heads .map").scrollIntoViewIfNeeded();
    await page.waitForTimeout(2000);
    const [handled, shown] = await page.evaluate(async () => {
      const map = document.querySelector(".heads .map");
      const box = map.getBoundingClientRect();
      const times = [[], []];
      for (let n = 0; n < 100; n++) {
        await new Promise(requestAnimationFrame);
        const start = performance.now();
        const at = { clientX: box.left + 150 + 3 * n, clientY: box.top + 150 + 3 * n, bubbles: true };
        map.dispatchEvent(new PointerEvent("pointermove", at));
        times[0].push(performance.now() - start);
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        times[1].push(performance.now() - start);
      }
      return times;
    });
    const of = (values) => ({ half: percentile(values, 0.5), most: percentile(values, 0.95) });
    return { handled: of(handled), shown: of(shown), memory: await memory() };
  },
};

try {
  console.log(JSON.stringify({ browser: browser.version(), ...(await TASKS[what]()) }));
} catch (error) {
  console.log(JSON.stringify({ failed: String(error.message).split("\n")[0] }));
}
// A page that is stuck can't be closed: leaving ends the browser, too.
await Promise.race([browser.close().catch(() => {}), new Promise((done) => setTimeout(done, 3000))]);
process.exit(0);
