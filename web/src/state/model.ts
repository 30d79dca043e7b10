// A model that the page was made with: the normal form of clockhands check, written into the page as JSON.

import type { Text } from "../words";

/** What a page that was made for an encoding, not for a model, draws besides. */
export interface Drawn {
  readonly title: Text;
  readonly idea: Text;
  readonly caution?: Text;
  /** Base64 of float32: `heads` rows of the distances 0 .. distances - 1, or from -(distances - 1) on. */
  readonly bias?: { heads: number; distances: number; both: boolean; values: string };
  readonly table?: { rows: number; width: number; values: string };
}

export interface LayerForm {
  readonly layers: readonly number[];
  readonly family: string;
  readonly stack: "encoder" | "decoder" | null;
  readonly mixer: "attention" | "other";
  readonly layout: "half" | "interleaved" | null;
  readonly head_dim: number | null;
  readonly rotary_dim: number | null;
  readonly rope_theta: number | null;
  readonly rope_type: string | null;
  readonly inv_freq: readonly number[] | null;
  readonly attention_factor: number | null;
  readonly slopes: readonly number[] | null;
  readonly num_buckets: number | null;
  readonly max_distance: number | null;
  readonly bidirectional: boolean | null;
  readonly rows: number | null;
  readonly offset: number | null;
  readonly window: number | null;
  readonly drawn?: Drawn;
}

export interface Model {
  readonly name: string;
  readonly context: { readonly trained: number | null; readonly promised: number | null };
  readonly layers: readonly LayerForm[];
}

/** The model in the page, null where it has none. */
export function embeddedModel(): Model | null {
  const element = document.getElementById("clockhands-model");
  return element?.textContent ? (JSON.parse(element.textContent) as Model) : null;
}
