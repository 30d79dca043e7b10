// What a link says, and what becomes of nonsense in it; numbers as they are written.
import { describe, expect, it } from "vitest";
import { createState, fromFragment, setText, toFragment } from "../../src/state/state";
import { fixed, number, percent } from "../../src/words";

describe("a link", () => {
  it("says only what differs, and gives it back", () => {
    const state = createState();
    expect(toFragment(state)).toBe("");
    setText(state, "scheme", "rope");
    setText(state, "base", "500000.5");
    setText(state, "truncate", "false");
    setText(state, "exponent", "i/(d/2-1)");
    const link = toFragment(state);
    expect(link).toBe("scheme=rope&base=500000.5&exponent=i%2F(d%2F2-1)&truncate=false");
    const other = createState();
    fromFragment(other, `#${link}`);
    expect(toFragment(other)).toBe(link);
    fromFragment(other, "");
    expect(toFragment(other)).toBe("");
  });

  it("holds a second scheme beside the first, and only while it is shown", () => {
    const state = createState();
    setText(state.b!, "dim", "64");
    expect(state.dim.value).toBe(32); // its own
    setText(state.b!, "pos", "7");
    expect(state.pos.value).toBe(7); // shared
    expect(toFragment(state)).toBe("pos=7");
    setText(state, "two", "true");
    const link = toFragment(state);
    expect(link).toBe("two=true&pos=7&b.dim=64");
    const other = createState();
    fromFragment(other, link);
    expect([other.b!.scheme.value, other.b!.dim.value, other.dim.value]).toEqual(["rope", 64, 32]);
    fromFragment(other, "two=true");
    expect(other.b!.dim.value).toBe(32);
  });

  it.each([
    ["bend=0.2_-1~0.1_-2~0.9_-99", "bend", "0.2_-1~0.9_-9"], // in order, and within bounds
    ["bend=0_0", "bend", "0_0~1_-4"],
    ["deep=none", "deep", ""],
    ["dim=7", "dim", 8],
    ["dim=99999", "dim", 1024],
    ["dim=-1", "dim", 2],
    ["dim=many", "dim", 32],
    ["context=1e9", "context", 1_000_000],
    ["context=Infinity", "context", 512],
    ["base=0", "base", 1.01],
    ["scheme=nothing", "scheme", "sinusoidal"],
    ["truncate=maybe", "truncate", true],
    ["context=10&pos=400", "pos", 9],
  ] as const)("is brought within bounds: %s", (fragment, name, value) => {
    const state = createState();
    fromFragment(state, fragment);
    expect(state[name].value).toBe(value);
  });

  it("begins where the page began", () => {
    const state = createState({ scheme: "model", context: 131072 });
    fromFragment(state, "lang=zh");
    expect(state.scheme.value).toBe("model");
    expect(toFragment(state)).toBe("lang=zh");
    setText(state, "scheme", "sinusoidal");
    expect(toFragment(state)).toBe("scheme=sinusoidal&lang=zh");
  });
});

it.each([
  [0, "0"],
  [0.1 + 0.2, "0.3"],
  [-0.5, "−0.5"],
  [35332.9, "35,333"],
  [1e-7, "1e−7"],
  [-1.25e-6, "−1.25e−6"],
  [Number.POSITIVE_INFINITY, "∞"],
  [Number.NaN, "–"],
])("writes %d as %s", (value, written) => expect(number(value)).toBe(written));

it("writes decimals and shares", () => {
  expect(fixed(1.005, 1)).toBe("1.0");
  expect(fixed(12345.678)).toBe("12,345.68");
  expect([percent(0.5), percent(0.034), percent(0)]).toEqual(["50%", "3.4%", "0%"]);
});
