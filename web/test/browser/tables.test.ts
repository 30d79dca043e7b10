// Every picture of the page as a table: it is there, is reached and read without a mouse, and has the numbers that
// are drawn. What is drawn is what the canvas was told: ends of lines, discs, bars, cells.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, open, rendered, show, silent, tableOf, written } from "./browser";

let browser: Browser;
let english: string;

beforeAll(async () => {
  browser = await launch();
  english = written("tables.html", "--lang", "en");
});
afterAll(() => browser.close());

/** What one layer was told since it was last wiped. */
interface Told {
  /** Points of each path. */
  readonly paths: [number, number][][];
  /** Width of the pen at each stroke. */
  readonly widths: number[];
  readonly discs: [number, number][];
  readonly bars: [number, number, number, number][];
  /** Cells of each image, as red less blue, and as light. */
  readonly images: { signed: number[]; light: number[] }[];
}

/** In the page, before its own scripts: canvases remember. */
function remember(): void {
  const kept = new WeakMap<HTMLCanvasElement, Told>();
  const images = new WeakMap<HTMLCanvasElement, ImageData>();
  const of = (canvas: HTMLCanvasElement) => {
    const found = kept.get(canvas) ?? { paths: [], widths: [], discs: [], bars: [], images: [] };
    kept.set(canvas, found);
    return found;
  };
  const proto = CanvasRenderingContext2D.prototype as never as Record<string, (...given: never[]) => unknown>;
  const before = (name: string, note: (ctx: CanvasRenderingContext2D, given: never[]) => void) => {
    const usual = proto[name];
    proto[name] = function (this: CanvasRenderingContext2D, ...given: never[]) {
      note(this, given);
      return usual.apply(this, given);
    };
  };
  before("clearRect", ({ canvas }) => kept.delete(canvas));
  before("moveTo", ({ canvas }, [x, y]) => of(canvas).paths.push([[x, y]]));
  before("lineTo", ({ canvas }, [x, y]) => of(canvas).paths.at(-1)?.push([x, y]));
  before("stroke", ({ canvas, lineWidth }) => of(canvas).widths.push(lineWidth));
  before("arc", ({ canvas }, [x, y]) => of(canvas).discs.push([x, y]));
  before("fillRect", ({ canvas }, given) => of(canvas).bars.push(given as never));
  before("putImageData", ({ canvas }, [data]) => images.set(canvas, data));
  before("drawImage", ({ canvas }, [sheet]) => {
    const image = images.get(sheet);
    if (!image || image.width === 128) return; // a legend
    const found = { signed: [] as number[], light: [] as number[] };
    for (let k = 0; k < image.data.length; k += 4) {
      const [r, g, b, seen] = image.data.slice(k, k + 4);
      found.signed.push(seen ? r - b : Number.NaN);
      found.light.push(seen ? 0.21 * r + 0.72 * g + 0.07 * b : Number.NaN);
    }
    of(canvas).images.push(found);
  });
  (window as never as { told: (canvas: HTMLCanvasElement) => Told }).told = of;
}

async function told(page: Page, name: string, layer: "base" | "over" = "base"): Promise<Told> {
  const canvas = page.locator(`[data-canvas="${name}"]:visible canvas[data-layer="${layer}"]`).first();
  await canvas.scrollIntoViewIfNeeded();
  await rendered(page);
  await rendered(page);
  return canvas.evaluate((found) =>
    (window as never as { told: (canvas: unknown) => Told }).told(found),
  ) as Promise<Told>;
}

const numberOf = (cell: string) => {
  const size = Number(cell.replace("−", "-").replace("−", "-").replace(/[,%°]/g, ""));
  return cell.endsWith("%") ? size / 100 : size;
};

/** A column of a table as numbers. */
const column = (rows: string[][], k: number) => rows.map((row) => numberOf(row[k]));

/** How far what is drawn is from a straight image of the numbers, as a share of its range. */
function bent(drawn: readonly number[], numbers: readonly number[]): number {
  expect(drawn.length).toBe(numbers.length);
  expect(drawn.length).toBeGreaterThan(2);
  const mean = (all: readonly number[]) => all.reduce((sum, each) => sum + each, 0) / all.length;
  const [x, y] = [mean(numbers), mean(drawn)];
  const slope =
    mean(numbers.map((each, k) => (each - x) * (drawn[k] - y))) /
    mean(numbers.map((each) => (each - x) ** 2));
  const range = Math.max(...drawn) - Math.min(...drawn);
  expect(range).toBeGreaterThan(3);
  return Math.max(...drawn.map((each, k) => Math.abs(each - y - slope * (numbers[k] - x)))) / range;
}

/** The share of neighbours, in the order of the numbers, whose colours are in another order; and those masked. */
function shuffled(colours: readonly number[], cells: readonly string[]): number {
  expect(colours.length).toBe(cells.length);
  const drawn = colours.map((colour, k) => [numberOf(cells[k]), colour] as const);
  for (const [value, colour] of drawn) expect(Number.isNaN(value)).toBe(Number.isNaN(colour));
  const seen = drawn.filter(([value]) => !Number.isNaN(value)).sort((a, b) => a[0] - b[0]);
  expect(new Set(seen.map(([, colour]) => colour)).size).toBeGreaterThan(3);
  return seen.filter(([, colour], k) => k && colour < seen[k - 1][1] - 4).length / seen.length;
}

const longest = ({ paths }: Told) => paths.reduce((best, each) => (each.length > best.length ? each : best));
const down = (points: readonly (readonly number[])[]) => points.map(([, y]) => -y);
const clockwise = ([[x, y], [across, up]]: [number, number][]) =>
  ((Math.atan2(across - x, y - up) / (2 * Math.PI)) * 360 + 360) % 360;
const flat = (rows: string[][]) => rows.flatMap((row) => row.slice(1));
/** Angles differ by so much, degrees, at most. */
const turnedBy = (found: readonly number[], wanted: readonly number[]) =>
  Math.max(...found.map((each, k) => Math.abs(((each - wanted[k] + 540 + 360) % 360) - 180)));

describe("what is drawn is in the table", () => {
  it("of the lesson", async () => {
    const opened = await open(browser, `${english}#step=1`, {}, remember);
    const { page } = opened;

    const { images } = await told(page, "shuffle");
    const words = await tableOf(page, "shuffle");
    for (const [k, { signed }] of images.entries())
      expect(shuffled(signed, words.map((row) => row[1 + k]))).toBe(0); // biome-ignore format: a column a stripe
    await page.getByRole("button", { name: "clock hands added" }).click();
    const after = await tableOf(page, "shuffle"); // an open table follows
    expect(after[0][2]).not.toBe(words[0][2]);

    await show(page, "room=lesson&step=3&mode=2");
    const codes = await tableOf(page, "codes");
    const drawn = await told(page, "codes");
    expect(bent(down(longest(drawn)), column(codes.slice(0, -1), 1))).toBeLessThan(1e-3);
    const across = codes[0].slice(2).flatMap((_, k) => codes.map((row) => row[2 + k]));
    expect(new Set(drawn.images[0].signed.map((colour, k) => `${colour} ${across[k]}`)).size).toBe(2); // 0 and 1

    await show(page, "room=lesson&step=6&shift=44");
    const moves = await tableOf(page, "move");
    const tips = (await told(page, "move")).paths.filter((path) => path.length === 2).map(clockwise);
    expect(turnedBy(tips, moves.flatMap((row) => [numberOf(row[1]), numberOf(row[2])]))).toBeLessThan(0.06); // biome-ignore format: from and to
    for (const row of moves)
      expect(turnedBy([numberOf(row[1]) + numberOf(row[3])], [numberOf(row[2])])).toBeLessThan(0.2);

    await show(page, "room=lesson&step=10&layout=interleaved");
    const turned = await tableOf(page, "turning");
    const hands = (await told(page, "turning")).paths.filter((path) => path.length === 2);
    const reach = hands.flatMap(([[x, y], [tip, top]]) => [tip - x, y - top]);
    const [across_q, up_q, across_k, up_k] = [1, 2, 3, 4];
    const wanted = turned.flatMap((row) => [across_k, up_k, across_q, up_q].map((k) => numberOf(row[k])));
    expect(bent(reach, wanted)).toBeLessThan(1e-3);

    for (const mode of [0, 1, 2]) {
      await show(page, `room=lesson&step=8&mode=${mode}`);
      const scores = await tableOf(page, "stripes");
      expect(shuffled((await told(page, "stripes")).images[0].signed, flat(scores))).toBeLessThan(1e-3);
    }
    await show(page, "room=lesson&step=15&mode=3");
    const trained = await tableOf(page, "trained");
    expect(shuffled((await told(page, "trained")).images[0].light, flat(trained))).toBe(0);
    expect(trained.map(([word]) => word)).toContain("Shi Jin");
    await silent(opened);
  });

  it("of the instrument and the room of design", async () => {
    const fragment = "scheme=rope&scaling=yarn&factor=2&dim=16&context=64&trained=16&pos=13&other=5";
    const opened = await open(browser, `${english}#${fragment}`, {}, remember);
    const { page } = opened;
    const hands = 8;
    const clock = await tableOf(page, "clock");
    const lines = (await told(page, "clock", "over")).paths.filter((path) => path.length === 2);
    expect(turnedBy(lines.map(clockwise).reverse(), column(clock, 3))).toBeLessThan(0.06);
    const turns = await tableOf(page, "odometer");
    const dials = (await told(page, "odometer", "over")).paths
      .filter((path) => path.length === 2)
      .map(clockwise);
    expect(
      turnedBy(
        dials,
        column(turns, 2).map((each) => 360 * each),
      ),
    ).toBeLessThan(3.6); // two decimals of a turn

    const kernel = await tableOf(page, "kernel");
    expect(bent(down(longest(await told(page, "kernel"))), column(kernel, 1))).toBeLessThan(1e-4);
    const spectrum = await told(page, "spectrum");
    const long = column(await tableOf(page, "spectrum"), 2).map(Math.log);
    expect(bent(down(spectrum.discs.filter(([x], k, all) => x !== all[k + 1]?.[0])), long)).toBeLessThan(
      1e-3,
    );
    const arcs = await tableOf(page, "arcs");
    const bars = (await told(page, "arcs")).bars.map(([, , , high]) => high);
    expect(bars.length).toBe(3 * hands);
    for (const [i, row] of arcs.entries()) {
      expect(bars[3 * i + 1] / bars[3 * i]).toBeCloseTo(numberOf(row[1]), 2);
      expect(bars[3 * i + 2] / bars[3 * i]).toBeCloseTo(numberOf(row[2]), 2);
    }
    expect(Math.max(...column(arcs, 2))).toBeGreaterThan(0.05);

    const curves = (await told(page, "precision")).paths.filter((path) => path.length > 20);
    const errors = await tableOf(page, "errors");
    for (const k of [0, 1, 2])
      expect(bent(down(curves[k]), column(errors, k + 1).map((each) => Math.log(Math.max(each, 1e-9))))).toBeLessThan(1e-3); // biome-ignore format: a curve a line

    const map = await tableOf(page, "map");
    const all = (await told(page, "map")).images[0].signed;
    const [top, left] = [map, map].map(() => 0); // the corner is next to both positions
    const part = map.flatMap((_, i) => map.map((__, j) => all[(top + i) * 64 + left + j]));
    expect(shuffled(part, flat(map))).toBeLessThan(1e-3);

    await show(page, "dim=16&context=64&pos=13&other=5");
    const heat = (await told(page, "heatmap")).images[0].signed;
    const numbers = (await tableOf(page, "heatmap")).map((row) => row.slice(2)); // 9 to 17
    const colours = numbers.flatMap((row, d) => row.map((_, k) => heat[(9 + k) * 16 + d]));
    expect(shuffled(colours, numbers.flat())).toBe(0);

    await show(page, "room=design&bend=0_0~0.5_-0.8~0.501_-3~1_-4&dim=16");
    await page.waitForSelector("[data-table=ladder]");
    const ladder = await tableOf(page, "ladder");
    const points = ladder.filter(([name]) => name.startsWith("point"));
    const handles = (await told(page, "ladder", "over")).discs;
    expect(bent(down(handles), column(points, 3).map(Math.log))).toBeLessThan(1e-3);
    expect(bent(handles.map(([x]) => x), column(points, 1))).toBeLessThan(1e-3); // biome-ignore format: across
    const dots = (await told(page, "ladder")).discs;
    const own = ladder.filter(([name]) => name.startsWith("hand"));
    expect(bent(down(dots), column(own, 3).map(Math.log))).toBeLessThan(1e-3);
    await silent(opened);
  });

  it("of attention", async () => {
    const opened = await open(browser, `${english}#room=attention&head=1&query=9`, {}, remember);
    const { page } = opened;
    await page.waitForSelector("[data-table=attention]");
    const cells = flat(await tableOf(page, "attention"));
    expect(shuffled((await told(page, "attention")).images[0].light, cells)).toBeLessThan(1e-3);
    const row = await tableOf(page, "attention-row");
    const { widths } = await told(page, "attention-row", "over");
    const arcs = widths.slice(1); // after the line of the sentence
    expect(arcs.length).toBeGreaterThan(3);
    expect(bent(arcs, column(row, 4).slice(0, arcs.length))).toBeLessThan(1e-3);
    const said = await page.locator(".thumbs small").allInnerTexts();
    expect((await tableOf(page, "heads")).map(([, habit]) => habit)).toEqual(said);
    await silent(opened);
  });
});

const ROOMS = [
  ...Array.from({ length: 15 }, (_, k) => `room=lesson&step=${k + 1}`),
  "room=instrument&scheme=rope&scaling=yarn&two=true",
  "room=instrument&scheme=alibi",
  "room=instrument&scheme=learned",
  "room=design&deep=0_0~1_-6&layers=12",
  "room=attention",
];

it.each(["en", "zh"])(
  "every picture has one, with a caption and headings; all of it fits 360 pixels: %s",
  async (lang) => {
    const opened = await open(browser, `${english}#lang=${lang}`, { viewport: { width: 360, height: 740 } });
    const { page } = opened;
    for (const room of ROOMS) {
      await show(page, `${room}&lang=${lang}`);
      if (/design|attention/.test(room)) await page.waitForSelector("[data-table]:visible");
      const found = await page.evaluate(() => {
        const seen = (each: Element) => each.checkVisibility() && !each.closest("button");
        const pictures = [...document.querySelectorAll("[data-canvas]")].filter(seen);
        return pictures.map((each) => {
          // The picture's own, and what is drawn in the same view and told in one table.
          const view = each.closest("section, [data-picture], .panel > div")!;
          const name = (each as HTMLElement).dataset.canvas!;
          const told = ({ amplitudes: "pairs", precision: "errors" } as Record<string, string>)[name] ?? name;
          return [name, view.querySelectorAll(`[data-table="${told}"]`).length];
        });
      });
      if (!room.includes("step=2")) expect(found.length, room).toBeGreaterThan(0);
      expect(
        found.filter(([, tables]) => !tables),
        room,
      ).toEqual([]);
      // That they are opened by keys is tested where all controls are.
      const { found: tables, wide } = await page.evaluate(async () => {
        const folded = [...document.querySelectorAll<HTMLDetailsElement>("[data-table]")];
        const all = folded.filter((each) => each.checkVisibility());
        for (const each of document.querySelectorAll("details")) each.open = !each.name;
        while (all.some((each) => !each.querySelector("tbody"))) await new Promise(requestAnimationFrame);
        const found = all.map((each) => ({
          folded: each.querySelector("summary")!.ariaLabel!,
          caption: each.querySelector("caption")!.innerText.trim(),
          named: each.querySelector("section")!.ariaLabel,
          columns: [...each.querySelectorAll("thead th[scope=col]")].map((th) => th.textContent!),
          rows: each.querySelectorAll("tbody th[scope=row]").length,
          cells: [...each.querySelectorAll("tbody tr")].map((tr) => tr.children.length),
        }));
        const wide = document.documentElement.scrollWidth;
        for (const each of all) each.open = false;
        return { found, wide };
      });
      expect(wide, room).toBe(360);
      for (const { folded, caption, named, columns, rows, cells } of tables) {
        expect(caption).toContain(named);
        expect(folded).toContain(named);
        expect(caption).toMatch(lang === "zh" ? /[\u4e00-\u9fff]/ : /^[^\u4e00-\u9fff]{6,}$/);
        expect(columns.filter((each) => !each)).toEqual([]);
        expect(rows).toBe(cells.length);
        expect(rows).toBeGreaterThan(0);
        expect(new Set(cells)).toEqual(new Set([columns.length]));
      }
    }
    await silent(opened);
  },
);
