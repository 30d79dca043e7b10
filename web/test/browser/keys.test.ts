// The whole page without a mouse: every control of every room is reached by Tab, shows that it is, has a name,
// and does something at the keys that its kind is worked by.
import AxeBuilder from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, open, rendered, silent, written } from "./browser";

let browser: Browser;
let english: string;

beforeAll(async () => {
  browser = await launch();
  english = written("keys.html", "--lang", "en");
});
afterAll(() => browser.close());

/** Open what is folded, but for the answers of a question, of which one is open at a time. */
const unfold = async (page: Page) => {
  await page.evaluate(() => {
    for (const each of document.querySelectorAll("details:not([name])")) each.setAttribute("open", "");
  });
  await rendered(page);
  await rendered(page);
};

interface Stop {
  readonly kind: string;
  readonly name: string;
}

/** What can be worked, in the order of the document; each is marked with its place. */
const stops = (page: Page, within: string) =>
  page.evaluate((where): Stop[] => {
    const all = document.querySelectorAll<HTMLElement>(
      ["button", "select", "input", "textarea", "summary", "a[href]", "[tabindex='0']"]
        .map((each) => `${where} ${each}`)
        .join(),
    );
    const shown = [...all].filter((each) => each.checkVisibility({ visibilityProperty: true }));
    for (const each of document.querySelectorAll("[data-stop]")) each.removeAttribute("data-stop");
    return shown.map((each, k) => {
      each.setAttribute("data-stop", String(k));
      const kind = each instanceof HTMLInputElement ? each.type : each.tagName.toLowerCase();
      const labels = [...((each as HTMLInputElement).labels ?? [])].map((label) => label.innerText);
      const name = each.ariaLabel ?? [each.innerText, ...labels].join(" ").trim();
      return { kind: each.hasAttribute("tabindex") ? "region" : kind, name };
    });
  }, within);

/** Which of them Tab stops at, and how it shows there. */
async function tour(page: Page, count: number): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  await page.evaluate(() => {
    getSelection()?.removeAllRanges();
    (document.activeElement as HTMLElement | null)?.blur();
    scrollTo(0, 0);
  });
  for (let k = 0; k < 400 && found.size < count; k++) {
    await page.keyboard.press("Tab");
    const [place, ring] = await page.evaluate(() => {
      const at = document.activeElement;
      const style = at && getComputedStyle(at);
      const wide = style && style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) >= 2;
      return [at?.getAttribute("data-stop") ?? null, wide ? "ring" : ""] as const;
    });
    if (place !== null) found.set(Number(place), ring);
  }
  return found;
}

const KEYS: Record<string, string[]> = {
  button: ["Enter"],
  summary: ["Enter"],
  a: ["Enter"],
  select: ["ArrowDown", "ArrowUp"],
  range: ["ArrowRight", "ArrowLeft"],
  number: ["ArrowUp", "ArrowDown"],
  text: ["End", "7"],
  search: ["End", "7"],
  textarea: ["End", "x"],
  checkbox: ["Space"],
  file: ["Enter"],
  region: ["ArrowDown", "ArrowRight", "ArrowUp", "End"],
};

/** From now on, notice whatever changes for a reader: words, marks, fields, pictures, what is in sight, focus. */
const watch = (page: Page) =>
  page.evaluate(() => {
    const noticed = () => {
      (window as Noticing).changed = true;
    };
    new MutationObserver(noticed).observe(document, {
      attributes: true,
      characterData: true,
      childList: true,
      subtree: true,
    });
    for (const event of ["input", "toggle", "scroll", "focusin"])
      document.addEventListener(event, noticed, { capture: true });
    const { clearRect } = CanvasRenderingContext2D.prototype; // what each drawing begins with
    CanvasRenderingContext2D.prototype.clearRect = function (...box) {
      noticed();
      clearRect.apply(this, box);
    };
  });

type Noticing = Window & { changed?: boolean };

/** What a control does at its keys, from a view: the word for nothing, or for a focus that is lost. */
async function work(page: Page, fragment: string, place: number, kind: string): Promise<string> {
  let outside = false; // a file is saved, or asked for
  const note = () => {
    outside = true;
  };
  page.on("download", note);
  page.on("filechooser", note);
  const idle = await page.evaluate(
    async ([wanted, stop]) => {
      const frames = () =>
        new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))));
      location.hash = `${wanted}&try=${performance.now()}`; // always another, so that it is read
      await frames();
      const control = document.querySelector<HTMLElement>(`[data-stop="${stop}"]`)!;
      control.focus();
      await frames();
      (window as Noticing).changed = false;
      // Where one is already, what rests, and what leaves no choice, has nothing to do.
      const here =
        control.ariaDisabled === "true" ||
        control.ariaPressed === "true" ||
        (control.ariaCurrent ?? "false") !== "false";
      return here || (control instanceof HTMLSelectElement && control.options.length < 2);
    },
    [fragment, place] as const,
  );
  const changed = async () => outside || (await page.evaluate(() => Boolean((window as Noticing).changed)));
  let done = idle;
  for (const key of idle ? [] : KEYS[kind]) {
    await page.keyboard.press(key);
    await rendered(page);
    done = await changed();
    if (done) break;
  }
  if (!done)
    done = await expect
      .poll(changed, { timeout: 30_000 })
      .toBe(true)
      .then(
        () => true,
        () => false,
      ); // a film is long
  page.off("download", note);
  page.off("filechooser", note);
  if (!done) return "does nothing";
  const lost = await page.evaluate(() => document.activeElement === document.body);
  return lost ? "loses the focus" : "";
}

async function serious(page: Page, colorScheme: "light" | "dark"): Promise<string[]> {
  await page.emulateMedia({ colorScheme });
  await page.evaluate(AxeBuilder.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as never as { axe: typeof AxeBuilder }).axe.run(document, { resultTypes: ["violations"] }),
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes[0].html.slice(0, 120)}`);
}

it.each([
  ["lesson", "room=lesson&step=5", "body", 45],
  ["instrument", "room=instrument&scheme=rope&scaling=yarn&reach=100&row=300&column=300&pos=20", "body", 90],
  ["instrument with a bias", "room=instrument&scheme=alibi", ".settings", 4],
  ["instrument with a table", "room=instrument&scheme=learned", ".settings", 4],
  ["design", "room=design", "main", 50],
  ["attention", "room=attention", "main", 20],
] as const)(
  "every control of the %s is reached by Tab and worked by keys",
  async (_, fragment, within, least) => {
    const url = `${english}#${fragment}`;
    const opened = await open(browser, url);
    const { page } = opened;
    await unfold(page);
    const all = await stops(page, within);
    expect(all.length).toBeGreaterThanOrEqual(least);
    expect(all.filter(({ name }) => !name)).toEqual([]);
    const reached = await tour(page, all.length);
    expect(all.filter((__, k) => reached.get(k) !== "ring")).toEqual([]);
    if (within !== ".settings")
      expect([...(await serious(page, "light")), ...(await serious(page, "dark"))]).toEqual([]);
    await watch(page);
    const found: string[] = [];
    for (const [place, { kind, name }] of all.entries()) {
      const said = await work(page, fragment, place, kind);
      if (said) found.push(`${kind} ${name.slice(0, 60)} ${said}`);
      if (kind === "summary") await page.keyboard.press("Enter"); // as it was
      if ((await page.locator("[data-stop]").count()) === all.length) continue;
      await page.goto("about:blank"); // another room or another language was here
      await page.goto(url);
      await page.waitForSelector("main button:visible");
      await unfold(page);
      await watch(page);
      expect(await stops(page, within)).toEqual(all);
    }
    expect(found).toEqual([]);
    await silent(opened);
  },
  300_000,
);
