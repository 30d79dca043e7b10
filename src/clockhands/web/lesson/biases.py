"""Step 11: biases, without any hands."""

from __future__ import annotations

from math import exp

import numpy as np

from clockhands.formulas.buckets import t5_bucket, t5_thresholds
from clockhands.formulas.slopes import alibi_slopes
from clockhands.language import Text
from clockhands.web.lesson.step import Answer, Button, Numbers, Picture, Question, Slider, Step


def _numbers() -> Numbers:
    slopes = [float(slope) for slope in alibi_slopes(8)]
    buckets = t5_bucket(np.arange(129))
    first = int(np.flatnonzero(np.diff(buckets) == 0)[0])
    return {
        "steepest": slopes[0],
        "flattest": slopes[-1],
        "far": 20,
        "left": exp(-20 * slopes[0]),
        "first": first,
        "then": first + 1,
        "bucket_7": int(buckets[7]),
        "bucket_8": int(buckets[8]),
        "bucket": int(buckets[first]),
        "last": t5_thresholds(32, 128, False)[-1],
    }


STEP = Step(
    id="biases",
    title=Text("No hands at all: biases", "不用指针：偏置"),
    settings="scheme=alibi&heads=8&context=128&pos=20&other=0&span=0",
    prose=(
        Text(
            "One may also say it outright: add to each score a number that depends on the distance. ALiBi "
            "takes straight lines, one slope for each head, from {steepest} to {flattest:.4f}; nothing is "
            "learned. T5 learns one number for each *bucket* of distances: narrow ones near by, wide ones "
            "far away.",
            "也可以直说：按距离给得分加一个数。ALiBi 用直线，每个头一个斜率，"
            "从 {steepest} 到 {flattest:.4f}，什么也不学。T5 把距离分*桶*，每桶学一个数：近处一个距离一桶，"
            "远处一桶装很多。",
        ),
        Text(
            "The same map, the same curve, no hands. Choose a scheme and move the distance.",
            "图还是那张图，曲线还是那条曲线，只是没有指针。选一个方案，拨一拨距离。",
        ),
    ),
    formula=(r"s_{i j} = \frac{q_i \cdot k_j}{\sqrt{d}} + b_h(i - j), b_h(Δ) = - m_h Δ",),
    buttons=(Button(Text("ALiBi", "ALiBi"), "scheme=alibi"), Button(Text("T5", "T5"), "scheme=t5")),
    sliders=(Slider(Text("Distance", "距离"), "pos", 0, 127),),
    pictures=(Picture("kernel"), Picture("map")),
    reading=(),
    surprise=Text(
        "ALiBi's steepest head multiplies a word {far} back by {left:.5f}. It is defined at any distance, "
        "and looks at hardly ten words. That is one reason why it copes with long texts: that head never "
        "notices them.",
        "ALiBi 最陡的那个头，把 {far} 个词以前的词乘以 {left:.5f}。它在任何距离都有定义，"
        "实际上只看得见十来个词。它不怕长文章，这就是原因之一：那个头根本没注意到文章有多长。",
    ),
    question=Question(
        Text(
            "T5 with 32 buckets: which are the first two distances that it can't tell apart?",
            "T5 用 32 个桶：最早分不清的是哪两个距离？",
        ),
        (
            Answer(
                Text("7 and 8", "7 和 8"),
                Text(
                    "These are in buckets {bucket_7} and {bucket_8}: near by every distance has its own.",
                    "它们在 {bucket_7} 号和 {bucket_8} 号桶里：近处每个距离各有一个桶。",
                ),
                "scheme=t5&pos=8&other=0",
            ),
            Answer(
                Text("{first} and {then}", "{first} 和 {then}"),
                Text(
                    "Yes, both are in bucket {bucket}. From {last} on everything is in the last bucket: far "
                    "is far.",
                    "对，都在 {bucket} 号桶里。从 {last} 起，全进最后一个桶：远就是远。",
                ),
                "scheme=t5&pos={then}&other=0",
                right=True,
            ),
            Answer(
                Text("127 and 128", "127 和 128"),
                Text(
                    "Those share a bucket, but far from first: the steps of the curve begin much earlier.",
                    "这两个确实同桶，但远不是最早的：曲线的台阶早就开始了。",
                ),
                "scheme=t5&pos=127&other=0",
            ),
        ),
    ),
    beliefs=(),
    numbers=_numbers,
)
