// Every sentence in English and in Chinese, and numbers as both write them.

export interface Text {
  readonly en: string;
  readonly zh: string;
}

export const T = (en: string, zh: string): Text => ({ en, zh });

/** A sentence with its gaps {0}, {1} … filled; what fills them is only ever text. */
export function fill(text: Text, ...gaps: readonly (string | number)[]): Text {
  const filled = (sentence: string) =>
    sentence.replace(/\{(\d)\}/g, (_, gap) => {
      const value = gaps[gap];
      return typeof value === "number" ? number(value, 9) : value;
    });
  return T(filled(text.en), filled(text.zh));
}

/** A word that both languages write alike. */
export const same = (word: string | number): Text => ({ en: String(word), zh: String(word) });

let exact = false;

/** What `make` writes, with every number in full: for programs, not for people. */
export function exactly<V>(make: () => V): V {
  exact = true;
  try {
    return make();
  } finally {
    exact = false;
  }
}

/** At most `digits` digits that count, thousands grouped: 0.0883, 35,333, 1e-7, ∞. */
export function number(value: number, digits = 5): string {
  if (exact) return String(value);
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) {
    const [mantissa, exponent] = value.toExponential(Math.max(digits - 3, 0)).split("e");
    return `${minus(String(Number(mantissa)))}e${minus(exponent.replace("+", ""))}`;
  }
  return size >= 1000
    ? written(value, { maximumFractionDigits: 0 })
    : written(value, { maximumSignificantDigits: digits });
}

/** With exactly `decimals` decimals. */
export function fixed(value: number, decimals = 2): string {
  if (exact || !Number.isFinite(value)) return number(value);
  return written(value, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

export const percent = (share: number): string => `${fixed(100 * share, share > 0 && share < 0.1 ? 1 : 0)}%`;

const formats = new Map<string, Intl.NumberFormat>(); // one takes longer to make than a frame has for all numbers

function written(value: number, options: Intl.NumberFormatOptions): string {
  const name = Object.entries(options).join();
  const format = formats.get(name) ?? new Intl.NumberFormat("en-US", options);
  formats.set(name, format);
  return minus(format.format(value));
}

function minus(written: string): string {
  return written.replace("-", "−");
}
