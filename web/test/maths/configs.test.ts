// The page's reader of configurations against Python's: golden/configs.py wrote what is expected.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import golden from "../../golden/configs.json";
import { type Classes, readConfig } from "../../src/files/config";
import { Refused } from "../../src/files/refused";
import type { LayerForm } from "../../src/state/model";

const root = join(import.meta.dirname, "..", "..", "..");
const json = (...path: string[]) => JSON.parse(readFileSync(join(root, ...path), "utf8"));
const classes: Classes = json("src", "clockhands", "web", "built", "classes.json");

type Expected = { context: object; layers: Record<string, unknown>[] } | null;
const forms = golden.forms as unknown as Record<string, Expected>;
const names = Object.keys(forms);

/** Every field of a form, numbers of lists to 1e-12 of their size. */
function alike(found: LayerForm, expected: Record<string, unknown>, where: string) {
  expect(Object.keys(found).sort(), where).toEqual(Object.keys(expected).sort());
  for (const [name, wanted] of Object.entries(expected)) {
    const own = found[name as keyof LayerForm];
    if (["layers", "inv_freq", "slopes"].includes(name) && wanted !== null) {
      const list = golden.lists[wanted as number];
      const numbers = own as number[];
      expect(numbers?.length, `${where} ${name}`).toBe(list.length);
      const off = list.findIndex((each, k) => Math.abs(numbers[k] - each) > 1e-12 * Math.abs(each));
      expect(off, `${where} ${name}`).toBe(-1);
    } else if (name === "attention_factor" && wanted !== null) {
      expect(own, `${where} ${name}`).toBeCloseTo(wanted as number, 12);
    } else expect(own, `${where} ${name}`).toEqual(wanted);
  }
}

function read(name: string) {
  const config = name.endsWith(".json") ? json("tests", "check", "fixtures", name) : { model_type: name };
  try {
    return readConfig(config, name, classes);
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}

describe("a configuration", () => {
  it("of 128 published models is among them, and few classes are left to Python", () => {
    expect(names.filter((name) => name.startsWith("alarms/")).length).toBeGreaterThan(120);
    expect(Object.keys(classes.classes).length).toBeGreaterThan(210);
  });
  it.each(names)("%s", (name) => {
    const [found, expected] = [read(name), forms[name]];
    if (!expected) return expect(found).toBeNull();
    expect(found, "read").not.toBeNull();
    expect(found!.context).toEqual(expected.context);
    expect(found!.layers.length).toBe(expected.layers.length);
    for (const [k, form] of found!.layers.entries()) alike(form, expected.layers[k], `form ${k}`);
  });
});
