"""An attention factor that is no magnitude, or that the program doesn't look at."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import givens
from clockhands.check.subject import Subject
from clockhands.formulas.frequencies.yarn import yarn_attention_factor
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        magnitude, factor = given.number("attention_factor"), given.number("factor")
        if given.kind not in ("yarn", "longrope") or magnitude is None:
            continue
        key = given.key("attention_factor")
        if magnitude <= 0:
            yield RULE.finding(
                "error",
                [key],
                Text(
                    f"{key} is {magnitude:g}: cos and sin are multiplied by it, and it must be above 0",
                    f"{key} 为 {magnitude:g}：cos 与 sin 要乘以它，它必须大于 0",
                ),
                Text("write 1.0, or remove it", "写 1.0，或者删去"),
            )
        elif subject.framework == "vllm" and given.kind == "yarn" and factor is not None and factor >= 1:
            computed = yarn_attention_factor(factor)
            ratio = computed / magnitude
            if abs(computed - magnitude) > 1e-6:
                yield RULE.finding(
                    "warning",
                    [key],
                    Text(
                        f"{key} is {magnitude:g}, and vLLM's YaRN computes {computed:.7f} from the factor "
                        f"instead: scores are off by a factor of {ratio * ratio:.4g}",
                        f"{key} 为 {magnitude:g}，而 vLLM 的 YaRN 由因子算出 {computed:.7f}：得分相差 "
                        f"{ratio * ratio:.4g} 倍",
                    ),
                    Text(
                        f"add attn_factor: {1 / ratio:.7f} for vLLM, or use a version that reads the key",
                        f"为 vLLM 加上 attn_factor: {1 / ratio:.7f}，或者换用会读取这个键的版本",
                    ),
                )


RULE = Rule(
    code="CH019",
    title=Text("an attention factor that is ignored or no magnitude", "attention_factor 被忽略或不是幅度"),
    story=Text(
        "A file may say by which magnitude cos and sin are multiplied. Laguna-XS.2 says 1.0 with a factor "
        "of 64; programs that computed 0.1 ln(64) + 1 = 1.4158883 by themselves had scores twice as large. "
        "A magnitude of 0 removes position and content alike.",
        "文件可以写明 cos 与 sin 要乘以多大的幅度。Laguna-XS.2 在因子为 64 时写了 1.0；自己算 0.1 ln(64) + "
        "1 = 1.4158883 的程序，得分便大了一倍。幅度为 0 时，位置与内容都消失了。",
    ),
    check=_check,
    reference="vllm-project/vllm #46280; ml-explore/mlx-lm #1507",
)
