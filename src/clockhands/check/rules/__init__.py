"""Rules: each looks for one thing that can be wrong with positions, and says so with key and remedy.

>>> [rule.code for rule in RULES][:3]
['CH001', 'CH002', 'CH003']
"""

from __future__ import annotations

from dataclasses import replace

from clockhands.check.finding import SEVERITIES, Finding, Rule
from clockhands.check.probe.findings import RULES as PROBE_RULES
from clockhands.check.read.file_rules import FILE_RULES
from clockhands.check.read.remarks import NOT_A_NUMBER
from clockhands.check.read.remarks import RULES as REMARKS
from clockhands.check.rules import (
    alibi_heads,
    attention_factor,
    dictionaries_twice,
    dynamic_ntk,
    factor_and_lengths,
    factor_below_one,
    head_width_null,
    heads_divide,
    keys_misspelt,
    kv_heads_divide,
    layer_pattern,
    layer_types_missing,
    layout_said,
    llama3_bands,
    local_layers_scaled,
    longrope_lists,
    longrope_switch,
    mrope_sections,
    no_rope_layers,
    number_types,
    partial_ignored,
    partial_range,
    precision_horizon,
    proportional_lost,
    remote_default,
    rope_keys_ignored,
    rope_keys_missing,
    rope_keys_unknown,
    rope_type_twice,
    rope_type_unknown,
    rotary_width_odd,
    rows_too_few,
    served_too_far,
    sinusoid_odd,
    t5_buckets,
    theta_lost,
    theta_missing,
    theta_twice,
    theta_value,
    trained_length,
    truncate_nested,
    unlike_biases,
    unlike_family,
    unlike_frequencies,
    unlike_pairs,
    unlike_published,
    unlike_scale,
    yarn_betas,
    yarn_in_llama_cpp,
    yarn_magnitude,
)
from clockhands.check.subject import Subject
from clockhands.check.unmeasured import PARTLY, UNABLE, UNMEASURED
from clockhands.errors import ClockhandsError, meant, shown, shown_zh
from clockhands.language import Text

RULES: tuple[Rule, ...] = (
    theta_value.RULE,
    theta_missing.RULE,
    theta_twice.RULE,
    rope_type_unknown.RULE,
    rope_keys_missing.RULE,
    rope_keys_ignored.RULE,
    rope_keys_unknown.RULE,
    rope_type_twice.RULE,
    dictionaries_twice.RULE,
    number_types.RULE,
    factor_below_one.RULE,
    factor_and_lengths.RULE,
    trained_length.RULE,
    llama3_bands.RULE,
    yarn_betas.RULE,
    longrope_lists.RULE,
    longrope_switch.RULE,
    yarn_magnitude.RULE,
    attention_factor.RULE,
    partial_range.RULE,
    partial_ignored.RULE,
    rotary_width_odd.RULE,
    heads_divide.RULE,
    kv_heads_divide.RULE,
    mrope_sections.RULE,
    layer_types_missing.RULE,
    local_layers_scaled.RULE,
    no_rope_layers.RULE,
    layer_pattern.RULE,
    rows_too_few.RULE,
    sinusoid_odd.RULE,
    alibi_heads.RULE,
    t5_buckets.RULE,
    served_too_far.RULE,
    dynamic_ntk.RULE,
    yarn_in_llama_cpp.RULE,
    precision_horizon.RULE,
    theta_lost.RULE,
    remote_default.RULE,
    unlike_published.RULE,
    keys_misspelt.RULE,
    head_width_null.RULE,
    truncate_nested.RULE,
    layout_said.RULE,
    proportional_lost.RULE,
    unlike_family.RULE,
    UNABLE,
    unlike_frequencies.RULE,
    unlike_pairs.RULE,
    unlike_scale.RULE,
    unlike_biases.RULE,
    UNMEASURED,
    PARTLY,
)
"""What is asked of every target, in the order of their codes."""

EVERY: tuple[Rule, ...] = tuple(
    sorted((*RULES, *REMARKS, *FILE_RULES, *PROBE_RULES), key=lambda rule: rule.code)
)
"""Those, and the rules of readers and probes, which find things while they read or run a target."""


def findings(subject: Subject) -> tuple[Finding, ...]:
    """All that rules, reader and probe find in a target, the grave before the slight."""
    found = list(dict.fromkeys(subject.found))
    for finding in dict.fromkeys(finding for rule in RULES for finding in rule.check(subject)):
        causes = [place for key in finding.keys for place in _not_finite(found, key)]
        if len(causes) < len(finding.keys) or not causes:
            found.append(finding)
            continue
        for place in causes:  # said already: once is enough, and as grave as what comes of it
            worst = min(found[place].severity, finding.severity, key=SEVERITIES.index)
            found[place] = replace(found[place], severity=worst)
    return tuple(sorted(dict.fromkeys(found), key=lambda finding: SEVERITIES.index(finding.severity)))


def _not_finite(found: list[Finding], key: str) -> list[int]:
    """Places of what says that the number of this key is NaN or infinite."""
    return [n for n, each in enumerate(found) if each.code == NOT_A_NUMBER.code and key in each.keys]


def explain(code: str) -> Rule:
    """The rule of a code, in capitals or not, those of the readers among them.

    Raises ClockhandsError for a code that no rule has.

    >>> explain("ch001").title.en
    'a base that is no number above 1'
    """
    for rule in EVERY:
        if rule.code == code.strip().upper():
            return rule
    likely = meant(code.strip().upper(), [rule.code for rule in EVERY])
    first, last = EVERY[0].code, EVERY[-1].code
    hint = Text(
        f"codes go from {first} to {last}, and 'all' lists them", f"代码从 {first} 到 {last}，all 列出全部"
    )
    if likely is not None:
        hint = Text(f"did you mean '{likely}'?", f"是不是想写“{likely}”？")
    raise ClockhandsError(
        f"there is no rule {shown(code)}: {hint.en}", f"没有规则{shown_zh(code)}：{hint.zh}"
    )


__all__ = ["EVERY", "RULES", "explain", "findings"]
