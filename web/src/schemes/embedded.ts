// A layer of a model that the page was made with, drawn as the file says it is.

import { defaultInvFreq } from "../math/frequencies";
import { LONGEST } from "../state/fields";
import type { LayerForm, Model } from "../state/model";
import { number, T, type Text } from "../words";
import { alibi, none, t5 } from "./biased";
import { drawnSubject, saidOf } from "./drawn";
import { learned } from "./learned";
import { ofHands as turned } from "./rope";
import { ofHands as added } from "./sinusoidal";
import { hands, NOTHING, type Subject } from "./subject";

export function embedded(model: Model, place: number): Subject {
  const form = model.layers[Math.min(place, model.layers.length - 1)];
  if (form?.drawn) return { ...drawnSubject(form.drawn, subjectOf(form, model)), ...saidOf(form.drawn) };
  const subject = form ? subjectOf(form, model) : undrawn(T("no layer that could be read", "没有读得懂的层"));
  const which = form ? layersOf(form) : T("", "");
  return { ...subject, title: T(`${model.name}: ${which.en}`, `${model.name}：${which.zh}`) };
}

/** Which layers a form speaks of: "12 layers · RoPE". */
export function layersOf(form: LayerForm): Text {
  const count = form.layers.length;
  const family = FAMILIES[form.family] ?? form.family;
  const [en, zh] = form.stack ? STACKS[form.stack] : ["", ""];
  const detail = form.rope_theta ? `, base ${number(form.rope_theta)}` : "";
  const detailZh = form.rope_theta ? `，底数 ${number(form.rope_theta)}` : "";
  return T(
    `${en}${count} ${count === 1 ? "layer" : "layers"} · ${family}${detail}`,
    `${zh}${count} 层 · ${family}${detailZh}`,
  );
}

const STACKS = { encoder: ["encoder, ", "编码器，"], decoder: ["decoder, ", "解码器，"] } as const;

const FAMILIES: Record<string, string> = {
  none: "NoPE",
  sinusoidal: "sinusoidal",
  learned: "learned",
  rope: "RoPE",
  alibi: "ALiBi",
  t5: "T5",
  shaw: "Shaw",
  transformer_xl: "Transformer-XL",
  deberta: "DeBERTa",
};

function subjectOf(form: LayerForm, model: Model): Subject {
  const invFreq = form.inv_freq?.length ? Float64Array.from(form.inv_freq) : null;
  switch (form.family) {
    case "none":
      return none;
    case "rope": {
      if (!invFreq) return undrawn(T("hands whose speeds the file doesn't tell", "文件没有说明快慢的指针"));
      const plain = plainOf(form, invFreq);
      const trained = form.rope_type && form.rope_type !== "default" ? model.context.trained : null;
      const own = hands(invFreq, plain, trained, form.attention_factor ?? 1);
      return turned(own, form.rotary_dim ?? 2 * invFreq.length, form.layout ?? "half");
    }
    case "sinusoidal":
      if (!invFreq) return undrawn(T("hands whose speeds the file doesn't tell", "文件没有说明快慢的指针"));
      return added(hands(invFreq), form.head_dim ?? 2 * invFreq.length, "interleaved", "sin");
    case "learned": {
      const rows = (form.rows ?? 512) - (form.offset ?? 0);
      return learned({
        dim: between(form.head_dim ?? 64, 1, WIDEST),
        rows: between(rows, 1, LONGEST),
        seed: 0,
      });
    }
    case "alibi":
      return form.slopes ? alibi(form.slopes, form.bidirectional ?? false) : undrawn(T("slopes", "斜率"));
    case "t5": {
      const buckets = form.num_buckets ?? 32;
      if (buckets < 4 || buckets > MOST_BUCKETS)
        return undrawn(T(`${number(buckets)} buckets`, `${number(buckets)} 个桶`));
      const far = between(form.max_distance ?? 128, 1, LONGEST);
      return t5({ heads: 1, buckets, far, both: form.bidirectional ?? false });
    }
    default:
      return undrawn(T(FAMILIES[form.family] ?? "another encoding", FAMILIES[form.family] ?? "其他编码"));
  }
}

const WIDEST = 16_384; // of a table: a file may say anything, and a picture must be drawn
const MOST_BUCKETS = 256;

const between = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);

// The ladder before its scaling; the hands as they are where no base is known.
function plainOf(form: LayerForm, invFreq: Float64Array): Float64Array {
  const width = form.rope_type === "proportional" ? form.head_dim : form.rotary_dim;
  if (!form.rope_theta || form.rope_theta <= 0 || !width || width % 2) return invFreq;
  const plain = defaultInvFreq(width, form.rope_theta).slice(0, invFreq.length);
  return plain.length === invFreq.length ? plain : invFreq;
}

function undrawn(what: Text): Subject {
  return {
    ...NOTHING,
    title: what,
    idea: T(
      `These layers have ${what.en}. This page can't draw that; clockhands check says in words what they do.`,
      `这些层用的是：${what.zh}。本页画不出来；clockhands check 会用文字说明它们怎样处理位置。`,
    ),
  };
}
