"""What to look for in each view of the instrument: sentences that the document brings to the script."""

from __future__ import annotations

from clockhands.language import Text

VIEWS: dict[str, Text] = {
    "clock": Text(
        "One hand for two dimensions, fastest inside. All start at twelve and turn clockwise; a "
        "hollow tip shows the position it is compared with.",
        "每两维一根指针，最快的在最里面。全部从十二点出发，顺时针转；空心圆点是与之比较的位置。",
    ),
    "odometer": Text(
        "Above each dial the turns made so far, below it the wavelength: the tokens that one turn "
        "takes. No hand carries to the next; each simply turns at its own speed.",
        "表盘上方是已转的圈数，下方是波长：转一圈要多少词元。指针之间没有进位，各转各的。",
    ),
    "heatmap": Text(
        "What the model is given, number by number. Signed numbers have zero in the middle of their "
        "colours; angles have colours that close, since a full turn is the start again.",
        "模型实际拿到的数。有正负的数以零为颜色中点；角度的颜色首尾相接，因为转满一圈就回到起点。",
    ),
    "kernel": Text(
        "All cells along a diagonal of the map are alike, so the whole map is this one curve. Where it is "
        "drawn as a band, a pixel holds many distances (up to 65,536 are looked at one by one) and the line "
        "is their mean.",
        "地图上同一条对角线的格子全都相同，所以整张图就是这一条曲线。画成带状的地方，一个像素包含许多距离"
        "（前 65,536 个逐一计算），线是它们的平均。",
    ),
    "map": Text(
        "Row i, column j: how much position i has in common with position j, or what their distance "
        "adds to the score. Set the context to 1,000,000: each cell is the exact mean of the "
        "millions of pairs that it holds.",
        "第 i 行第 j 列：位置 i 与位置 j 有多像，或者它们的距离给得分加多少。"
        "把上下文长度设成 1,000,000 试试：每一格都是其中上百万对位置的精确平均。",
    ),
    "spectrum": Text(
        "A hand above the dashed line never finishes a turn in this context: it tells far positions "
        "apart, but most of its dial is never seen. A scaling moves hands up, from hollow to filled.",
        "虚线以上的指针在这个上下文里转不满一圈：它能分清很远的位置，但表盘的大部分从没见过。"
        "缩放把指针往上移：从空心点移到实心点。",
    ),
    "precision": Text(
        "Positions are whole numbers, and angles need many bits. Kept in 16 bits, neighbours become "
        "one and fast hands point anywhere. Compute angles in at least float32 and cast last.",
        "位置是整数，角度需要足够的位数。用 16 位存，相邻位置会重合，快针会乱指。角度至少用 float32 计算，"
        "最后再转换。",
    ),
    "score": Text(
        "What these settings are good for. Defined is not the same as working: a model can use only "
        "what it saw.",
        "这组设置好在哪里、差在哪里。算得出来不等于用得上：模型只会用它在训练中见过的。",
    ),
}
"""By the id of the view, in the order of the page."""
