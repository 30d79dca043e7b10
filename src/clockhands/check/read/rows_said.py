"""What is said of measured rows: a note, or that they contradict how they are turned."""

from __future__ import annotations

from clockhands.check.finding import Finding
from clockhands.check.form import Layout
from clockhands.check.read.file_rules import ROWS_AS_STORED, ROWS_CONTRADICT
from clockhands.check.read.rows import StoredRows
from clockhands.language import Text

LAYOUTS: dict[Layout, Text] = {
    "half": Text("in halves", "前后对半"),
    "interleaved": Text("interleaved", "交错"),
}
KEYS = ("attn_q.weight", "attn_k.weight")
SURE_T, SURE_SHARE = 8.0, 0.8


def about_rows(
    rows: StoredRows, turned: Layout | None, by: Text, keys: tuple[str, ...] = KEYS
) -> list[Finding]:
    """One finding, or none where the rows don't tell.

    turned  the layout in which they are turned, None where it is not known
    by      who turns them
    """
    if rows.layout is None:
        return []
    said = LAYOUTS[rows.layout]
    measured = Text(
        f"by {rows.agree} of {rows.heads} measured key heads (t = {rows.t:.1f}) the rows of q and k are "
        f"stored {said.en}",
        f"所测 {rows.heads} 个键头中有 {rows.agree} 个表明（t = {rows.t:.1f}），q、k 权重的行按{said.zh}存放",
    )
    if turned is None or turned == rows.layout:
        agrees = (
            Text("", "")
            if turned is None
            else Text(f", which is how {by.en} turns them", f"，与{by.zh}的旋转方式一致")
        )
        return [
            ROWS_AS_STORED.finding(
                "note",
                keys,
                Text(measured.en + agrees.en, measured.zh + agrees.zh),
                Text("nothing to do", "无需处理"),
            )
        ]
    other = LAYOUTS[turned]
    sure = abs(rows.t) >= SURE_T and rows.agree >= SURE_SHARE * rows.heads
    return [
        ROWS_CONTRADICT.finding(
            "error" if sure else "warning",
            keys,
            Text(
                f"{measured.en}, but {by.en} turns them {other.en}",
                f"{measured.zh}，但{by.zh}按{other.zh}旋转它们",
            ),
            Text(
                "convert the model again with the converter for this class, which moves the rows: those of k "
                "in the number of its own heads",
                "请用适合该模型类的转换脚本重新转换，它会移动这些行；k 要按它自己的头数移动",
            ),
        )
    ]
