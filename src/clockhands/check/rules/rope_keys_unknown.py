"""A key in the dictionary that no formula knows, most often a slip of the pen."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import TRAINED, dictionaries, parts
from clockhands.check.subject import Subject
from clockhands.errors import meant
from clockhands.language import Text

KNOWN = (
    "rope_type", "type", "rope_theta", "factor", TRAINED, "attention_factor", "beta_fast", "beta_slow",
    "mscale", "mscale_all_dim", "truncate", "short_factor", "long_factor", "low_freq_factor",
    "high_freq_factor", "partial_rotary_factor", "mrope_section",
)  # fmt: skip
"""Those that a slip may be meant for: the 16 of transformers 5.24.0 and the old name of the type."""

OF_SOME_MODELS = (
    "alpha", "mrope_interleaved", "xdrope_section", "llama_4_scaling_beta", "short_mscale", "long_mscale",
    "extrapolation_factor", "attn_factor", "apply_yarn_scaling", "finetuned", "max_position_embeddings",
    "rope_theta_base", "mixed_b", "interleaved", "original_max_position_embeddings_swa",
)  # fmt: skip
"""Read by certain models or by programs other than transformers."""


def _check(subject: Subject) -> Iterator[Finding]:
    for part in parts(subject):
        for path, given in dictionaries(part):
            for name in given:
                if not isinstance(name, str) or name in KNOWN or name in OF_SOME_MODELS:
                    continue
                key, near = f"{part.prefix}{path}.{name}", meant(name, KNOWN)
                slip = near is not None and near not in given
                yield RULE.finding(
                    "error" if slip else "note",
                    [key],
                    Text(
                        f"{key} is a key that no scaling reads",
                        f"{key} 这个键没有任何缩放会读取",
                    ),
                    Text(f"did you mean '{near}'?", f"是不是想写“{near}”？")
                    if slip
                    else Text(
                        "remove it unless a program of yours reads it", "如果没有你自己的程序读取它，就删去"
                    ),
                )


RULE = Rule(
    code="CH007",
    title=Text("a key that no scaling knows", "没有缩放认识的键"),
    story=Text(
        "Programs look keys up by name and take a default for those they don't find, so a misspelt key is "
        "the same as none: nothing fails, and the default is used. Transformers logs that it ignored the "
        "key.",
        "程序按名称查找键，找不到就用默认值，所以拼错的键等于没有写：什么也不会报错，用的是默认值。"
        "transformers 只在日志里说它忽略了这个键。",
    ),
    check=_check,
    reference="huggingface/transformers #38224",
)
