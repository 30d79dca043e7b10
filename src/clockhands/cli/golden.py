"""``clockhands golden``: vectors for other implementations, and what another one's are worth."""

from __future__ import annotations

import re
from pathlib import Path

import click

from clockhands.cli.bilingual import Command, Option
from clockhands.cli.common import lang_option
from clockhands.cli.console import tell
from clockhands.cli.kinds import REAL
from clockhands.language import Language, Text

_WITHOUT_TORCH = Text(
    "embedded and attended are left out, since they need the extra 'torch': "
    'run pip install "clockhands[torch]" for them',
    '没有写 embedded 和 attended，它们需要扩展包“torch”：请运行 pip install "clockhands[torch]"',
)
DIFFERENT = 1
"""Exit code where vectors differ."""


def run(checked: str | None, out: str | None, tolerance: float | None, lang: Language) -> None:
    """Write vectors, or check those in a file."""
    from clockhands.golden import can_pass, document

    if checked is not None:
        _check(checked, tolerance, lang)
        return
    import json

    written = with_rows_on_lines(json.dumps(document(), indent=1, allow_nan=False))
    if not can_pass():
        tell(_WITHOUT_TORCH, lang)
    if out is None:
        click.echo(written)
        return
    from clockhands.writing import written_aside

    with written_aside(Path(out)) as aside:
        aside.write_text(written + "\n", encoding="ascii")
    tell(Text(f"wrote {out}", f"已写入 {out}"), lang)


def with_rows_on_lines(document: str) -> str:
    """Indented JSON in which each row of numbers has one line, so that people can read and edit it.

    >>> import json
    >>> print(with_rows_on_lines(json.dumps({"output": [[0.5, None], [1.0, -2.0]]}, indent=1)))
    {
     "output": [
      [0.5, null],
      [1.0, -2.0]
     ]
    }
    """
    return re.sub(
        r'\[\n\s+([^][{}"]+?)\n\s+\]', lambda row: "[" + re.sub(r",\n *", ", ", row[1]) + "]", document
    )


def _check(path: str, tolerance: float | None, lang: Language) -> None:
    from clockhands.golden import check, read_document
    from clockhands.golden.checking import TOLERANCE

    compared = check(read_document(path), TOLERANCE if tolerance is None else tolerance)
    wrong = [each for each in compared if not each.agrees]
    for each in wrong:
        says = Text(f"{each.name}: {each.says.en}", f"{each.name}：{each.says.zh}")
        click.echo(says.said_in(lang))
    worst = max((each.error for each in compared if each.agrees), default=0.0)
    total = Text(
        f"{len(compared) - len(wrong)} of {len(compared)} vectors agree, the worst of them to {worst:.1e}",
        f"{len(compared)} 组中有 {len(compared) - len(wrong)} 组一致，其中最大相对误差 {worst:.1e}",
    )
    click.echo(total.said_in(lang))
    if wrong:
        click.get_current_context().exit(DIFFERENT)


command = Command(
    "golden",
    callback=run,
    help=Text(
        "Write golden vectors of all schemes as JSON, or check another implementation's.",
        "把所有方案的基准数据写成 JSON，或检查另一个实现的数据。",
    ),
    examples=("clockhands golden -o golden.json", "clockhands golden --check mine.json --tolerance 1e-5"),
    params=[
        Option(
            ["--check", "checked"],
            metavar="FILE",
            help=Text(
                "Compare the outputs in FILE with what the schemes compute; exit code 1 if any differs.",
                "把文件里的 output 与各方案的计算结果比较；有不一致则退出码为 1。",
            ),
        ),
        Option(
            ["--out", "-o", "out"],
            metavar="FILE",
            help=Text("Where to write; else printed.", "写到哪里；不给则打印。"),
        ),
        Option(
            ["--tolerance"],
            type=REAL,
            help=Text(
                "Largest difference allowed, relative to the largest number of a vector.",
                "允许的最大误差，相对于每组中最大的数。",
            ),
            shown_default="1e-6",
        ),
        lang_option(),
    ],
)
