"""Clock hands in marimo: turn a hand, and the numbers beside it are computed anew. English and Chinese.

pip install ".[notebook]" marimo, then: marimo edit notebooks/clock_hands_marimo.py
"""

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="Clock hands · 时钟指针")


@app.cell
def _():
    import marimo as mo
    import numpy as np

    import clockhands as ch
    from clockhands.analysis.horizon import horizon
    from clockhands.analysis.kernel import kernel
    from clockhands.analysis.spectrum import spectrum
    from clockhands.language import Text

    return Text, ch, horizon, kernel, mo, np, spectrum


@app.cell
def _(mo):
    language = mo.ui.radio({"English": "en", "中文": "zh"}, value="English", inline=True)
    language
    return (language,)


@app.cell
def _(Text, language, mo):
    def said(text: Text) -> mo.Html:
        return mo.md(text.said_in(language.value))

    said(
        Text(
            """
            # Clock hands

            A Transformer compares every word with every other, and never asks where a word stands. The
            sinusoidal code tells it, with a set of clock hands: all stand at twelve at position 0 and turn
            clockwise, the fastest innermost.

            **Move the position in the page below.** marimo runs again whatever depends on it.
            """,
            """
            # 时钟指针

            Transformer 把每个词和每个词相比，却从不问一个词站在哪里。正弦位置编码用一组时钟指针告诉它：
            在位置 0，所有指针都指向十二点，然后顺时针转动，最快的在最里面。

            **在下面的页面里拨动位置**，凡是和它有关的，marimo 都会重新计算。
            """,
        )
    )
    return (said,)


@app.cell
def _(mo):
    width = mo.ui.slider(steps=[8, 16, 32, 64, 128], value=32, label="d", show_value=True)
    width
    return (width,)


@app.cell
def _(ch, language, mo, width):
    page = ch.widget(
        lang=language.value, height=560, scheme="sinusoidal", dim=width.value, context=100, pos=10, other=4
    )
    live = mo.ui.anywidget(page.anywidget)  # so that marimo hears of every change
    live
    return live, page


@app.cell
def _(Text, ch, kernel, live, np, page, said, spectrum, width):
    live.value  # what makes this cell run again
    query, key = (int(page.state.get(name, 0)) for name in ("pos", "other"))
    hands = ch.describe("sinusoidal", dim=width.value).inv_freq()
    alike = float(kernel(hands, np.array([abs(query - key)])).values[0])
    turned = float(spectrum(hands, max(query, 1)).turns.values[0]) * (query > 0)
    said(
        Text(
            f"Position {query}: the fastest hand has turned {turned:.2f} times. "
            f"Positions {query} and {key} are alike by {alike:.4f}, and so is any other pair "
            f"{abs(query - key)} apart.",
            f"位置 {query}：最快的指针转了 {turned:.2f} 圈。位置 {query} 与 {key} 的相似度是 {alike:.4f}，"
            f"任何相距 {abs(query - key)} 的两个位置都一样。",
        )
    )
    return (hands,)


@app.cell
def _(Text, hands, horizon, said):
    facts = horizon(hands, 99)
    curve, rise = facts.kernel.values, facts.first_rise
    said(
        Text(
            f"""
            ## Does similarity fall with distance?

            Not steadily. It first rises from distance {rise} to {rise + 1}, from {curve[rise]:.4f} to
            {curve[rise + 1]:.4f}, and {facts.rising_share:.0%} of the steps up to 99 go up. A wider code
            falls for longer before it rises: try it above.
            """,
            f"""
            ## 相似度随距离下降吗？

            并不是一路下降。从距离 {rise} 到 {rise + 1}，它第一次回升：{curve[rise]:.4f} 变成
            {curve[rise + 1]:.4f}；到 99 为止，有 {facts.rising_share:.0%} 的步子是上升的。编码越宽，
            回升来得越晚：在上面换个宽度试试。
            """,
        )
    )
    return


@app.cell
def _(ch, language, width):
    ch.show("sinusoidal", "similarity", dim=width.value, positions=100, lang=language.value)
    return


if __name__ == "__main__":
    app.run()
