"""A learned table: free numbers, no hands, and an edge."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from clockhands.analysis.neighbours import table_neighbours
from clockhands.analysis.similarity import table_similarity
from clockhands.demo.chapter import Chapter, Story
from clockhands.demo.described import table
from clockhands.demo.drawing import Map, maps
from clockhands.demo.speech import quoted, said, untrained
from clockhands.demo.studio import Studio
from clockhands.errors import ClockhandsError
from clockhands.language import Text

STORY = Story(
    title=Text("A table that is learned", "学出来的位置表"),
    paragraphs=(
        Text(
            "BERT and GPT-2 took the blunt road: a table with one free row per position, trained like "
            "everything else. The same pictures can be drawn of it. On the left the table before any "
            "training (seed {seed}): nothing beside the diagonal; its neighbours are between {least:.3f} "
            "and {most:.3f} apart. Only here does plotting neighbour distance tell you something.",
            "BERT 和 GPT-2 走的是直路：每个位置一行自由的数，和别的参数一起训练。同样的图也能画。左边是"
            "训练之前的表（随机种子 {seed}）：除了对角线本身，什么花纹也没有；相邻位置的距离在 "
            "{least:.3f} 和 {most:.3f} 之间。画相邻距离，只有在这里才真能看出点什么。",
        ),
        Text(
            "Nothing in the table says that position {probe} lies between its neighbours: before "
            "training, its similarity to the next row is {next_to:.2f}, and to a row {far} away "
            "{far_off:.2f}. Whatever order there is, the data must teach it.",
            "表里没有任何东西说明位置 {probe} 夹在两个邻居之间：训练前，它和下一行的相似度是 "
            "{next_to:.2f}，和相隔 {far} 行的是 {far_off:.2f}。次序全靠数据来教。",
        ),
    ),
    surprise=Text(
        "It has an edge. Ask this table of {rows} rows for position {rows}, and there is nothing: “"
        "{refusal}”",
        "它有尽头。这张表有 {rows} 行，向它要位置 {rows}，什么也没有：“{refusal}”",
    ),
    question=Text(
        "Training sentences are mostly short. What becomes of the last rows of the table?",
        "训练用的句子大多很短，表的最后几行会怎样？",
    ),
    answer=Text(
        "They are rarely trained and stay near their random start. A model may accept position {last} "
        "and still have hardly ever seen it.",
        "它们很少被训练到，几乎停留在随机的起点。模型能接受位置 {last}，不等于它学过位置 {last}。",
    ),
)
DIM, ROWS, PROBE, FAR, SEED = 32, 64, 20, 30, 0
PICTURE = Text("A learned table before training, and clock hands", "训练前的可学习位置表，与时钟指针对照")
HEADINGS = (Text("learned, before training", "可学习，训练前"), Text("clock hands", "时钟指针"))
ALT = Text(
    "Left, noise with a bright diagonal; right, the striped map of the clock hands.",
    "左边只有一条亮对角线，其余像噪声；右边是时钟指针的条纹图。",
)
CAPTION = Text(
    "Similarity of {rows} positions, {dim} dimensions. Untrained, seed {seed}.",
    "{rows} 个位置之间的相似度，{dim} 维。未训练，种子 {seed}。",
)


def tell(studio: Studio) -> Chapter:
    rows = table("learned", ROWS, d_model=DIM, max_positions=ROWS, seed=SEED)
    hands = table("sinusoidal", ROWS, d_model=DIM)
    steps = table_neighbours(rows).distance.values
    alike = replace(table_similarity(rows), id="learned", note=untrained(SEED))
    numbers = {
        "seed": SEED,
        "rows": ROWS,
        "last": ROWS - 1,
        "probe": PROBE,
        "far": FAR,
        "least": steps.min(),
        "most": steps.max(),
        "next_to": alike.values[PROBE, PROBE + 1],
        "far_off": alike.values[PROBE, PROBE + FAR],
    }
    try:
        table("learned", np.array([ROWS]), d_model=DIM, max_positions=ROWS)
    except ClockhandsError as error:
        refusal = error.text
    panels = [Map(alike, HEADINGS[0]), Map(replace(table_similarity(hands), id="hands"), HEADINGS[1])]
    picture = maps(panels, lang=studio.lang, title=PICTURE)
    figure = studio.picture("learned", picture, alt=ALT, caption=said(CAPTION, rows=ROWS, dim=DIM, seed=SEED))
    return STORY.told(numbers, [figure], refusal=quoted(refusal))
