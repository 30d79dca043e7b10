// Frequencies that rotary parameters give: clockhands.check.read.frequencies, restated.

import * as ladders from "../math/frequencies";
import { WIDEST } from "./reckon";
import { finite, type Json, type Settings, TRAINED, typeName } from "./settings";

export interface Turning {
  readonly theta: number | null;
  readonly type: string;
  readonly trained: number | null;
  readonly factor: number | null;
  readonly inv_freq: readonly number[] | null;
  readonly attention_factor: number | null;
}

const NUMBERS = ["rope_theta", "factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim", "alpha"];
const MORE = ["low_freq_factor", "high_freq_factor", "attention_factor", TRAINED];

export function turning(s: Settings, values: Json, rotary: number | null): Turning {
  const type = typeName(values.rope_type ?? null);
  const theta = finite(values.rope_theta);
  const promised = finite(s.get("max_position_embeddings"));
  const trained = type === "dynamic" ? promised : finite(values[TRAINED]);
  const ratio = promised && trained && trained > 0 ? promised / trained : null;
  const stretched = type === "yarn" || type === "longrope" ? ratio : type === "proportional" ? 1 : null;
  const factor = (values.factor ?? null) === null ? stretched : finite(values.factor);
  const found = { theta, type, trained, factor, inv_freq: null, attention_factor: null };
  if (theta === null || theta <= 0 || rotary === null || rotary > WIDEST) return found;
  const told = values.partial_rotary_factor ?? null;
  const share = told === null ? 1 : finite(told);
  const turned = Math.floor(rotary * (share ?? 0));
  if (share === null || share * rotary <= 0 || share * rotary > WIDEST || !inOrder(values)) return found;
  const scaled = computed(s, { ...values, rope_type: type }, { theta, share, rotary, turned, factor });
  if (!scaled?.[0].length || !scaled[0].every(Number.isFinite)) return found;
  return { ...found, inv_freq: [...scaled[0]], attention_factor: finite(scaled[1]) };
}

// Every number is one, and lists hold numbers above 0; null is none.
function inOrder(values: Json): boolean {
  const told = (name: string) => values[name] ?? null;
  for (const name of [...NUMBERS, ...MORE]) {
    const value = told(name);
    if (value === null) continue;
    const number = finite(value);
    if (number === null || number < (name === TRAINED ? 1 : 0) || (name === "factor" && number <= 0))
      return false;
  }
  return ["short_factor", "long_factor"].every((name) => {
    const list = told(name);
    return (
      list === null ||
      (Array.isArray(list) && list.length <= WIDEST && list.every((each) => (finite(each) ?? 0) > 0))
    );
  });
}

interface Sizes {
  readonly theta: number;
  readonly share: number;
  readonly rotary: number;
  readonly turned: number;
  readonly factor: number | null;
}

function computed(s: Settings, values: Json, sizes: Sizes): [Float64Array, number | null] | null {
  const { theta, share, rotary, turned, factor } = sizes;
  const number = (name: string) => (finite(values[name]) ?? 0) || null;
  const promised = s.whole("max_position_embeddings");
  // What is missing for transformers 5 is missing here: a null rather than a guess.
  const trained = TRAINED in values ? number(TRAINED) : promised;
  const told = finite(values.attention_factor);
  if (share > 1) return null;
  switch (values.rope_type) {
    case "default":
      return [ladders.defaultInvFreq(turned, theta), 1];
    case "axial":
      return [ladders.defaultInvFreq(Math.floor(rotary / 2), theta), 1];
    case "linear":
      return factor ? [ladders.linearInvFreq(turned, theta, factor), 1] : null;
    case "dynamic": {
      const alpha = number("alpha");
      if (alpha && s.rope.alpha) return [ladders.ntkInvFreq(turned, theta, alpha), 1];
      if (!factor || !promised) return null;
      return [ladders.dynamicNtkInvFreq(turned, theta, factor, promised, promised), 1];
    }
    case "yarn": {
      const truncate = values.truncate ?? true;
      if (!factor || !trained || theta <= 1 || turned % 2 || typeof truncate !== "boolean") return null;
      const [betaFast, betaSlow] = [number("beta_fast") ?? 32, number("beta_slow") ?? 1];
      const given = {
        factor,
        trained,
        betaFast,
        betaSlow,
        truncate: "truncate" in values ? Boolean(values.truncate) : true,
      };
      const [mine, all] = [number("mscale"), number("mscale_all_dim")];
      const usual =
        mine && all
          ? ladders.yarnAttentionFactor(factor, mine) / ladders.yarnAttentionFactor(factor, all)
          : ladders.yarnAttentionFactor(factor);
      return [ladders.yarnInvFreq(turned, theta, given), told ?? usual];
    }
    case "longrope": {
      const [short, long] = [values.short_factor, values.long_factor] as number[][];
      const pairs = Math.floor((turned + 1) / 2);
      if (!trained || short?.length !== pairs || long?.length !== pairs) return null;
      if (told === null && (!factor || trained <= 1)) return null;
      const inv_freq = ladders.longropeInvFreq(turned, theta, short, long, trained, 0);
      return [inv_freq, told ?? ladders.longropeAttentionFactor(factor!, trained)];
    }
    case "llama3": {
      const [slow, fast] = [number("low_freq_factor"), number("high_freq_factor")];
      if (!factor || !trained || !slow || !fast || slow >= fast) return null;
      return [ladders.byPartsInvFreq(turned, theta, factor, trained, slow, fast), 1];
    }
    case "proportional":
      return [ladders.proportionalInvFreq(rotary, theta, share).map((speed) => speed / (factor ?? 1)), 1];
    default:
      return null;
  }
}
