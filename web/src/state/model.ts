// A model that the page was made with: the normal form of clockhands check, written into the page as JSON.

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
