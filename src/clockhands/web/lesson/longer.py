"""Step 12: going past the trained length."""

from __future__ import annotations

from clockhands.analysis.neighbours import neighbour_distance
from clockhands.analysis.spectrum import spectrum
from clockhands.formulas import default_inv_freq
from clockhands.formulas.frequencies import linear_inv_freq, yarn_inv_freq
from clockhands.language import Text
from clockhands.web.lesson.facts import claimed
from clockhands.web.lesson.step import Answer, Belief, Button, Numbers, Picture, Question, Step

HEAD, BASE, TRAINED, FACTOR = 128, 1e4, 4096, 4


def _numbers() -> Numbers:
    plain = default_inv_freq(HEAD, BASE)
    linear = linear_inv_freq(HEAD, BASE, factor=FACTOR)
    yarn = yarn_inv_freq(HEAD, BASE, factor=FACTOR, original_max_position_embeddings=TRAINED)
    unseen = claimed("extrapolates-by-itself")
    return {
        "trained": TRAINED,
        "length": FACTOR * TRAINED,
        "factor": FACTOR,
        "pairs": HEAD // 2,
        "unseen": spectrum(plain, TRAINED).unfinished,
        "finished": spectrum(plain, TRAINED).finished,
        "step": neighbour_distance(plain),
        "linear": neighbour_distance(linear) / neighbour_distance(plain),
        "yarn": 1 - neighbour_distance(yarn) / neighbour_distance(plain),
        "twice": unseen["unseen at twice the length"],
    }


STEP = Step(
    id="longer",
    title=Text("Going longer", "走得更远"),
    settings=f"scheme=rope&dim={HEAD}&scaling=linear&factor=1&trained={TRAINED}&context={FACTOR * TRAINED}",
    prose=(
        Text(
            "A model was trained on texts of {trained:,} words; you give it {length:,}. Fast hands have "
            "been everywhere on their dial hundreds of times. Slow ones had not made one turn yet, and now "
            "they enter arcs that they never showed in training.",
            "模型是用 {trained:,} 个词的文章训练的，你给它 {length:,} 个。快针在表盘上早就转过几百圈，"
            "哪儿都去过。慢针一圈还没走完，现在走进了训练时从没到过的那段弧。",
        ),
        Text(
            "Remedies slow hands down. Position interpolation (PI) slows all of them {factor} times. NTK "
            "changes the base, so that fast hands keep their speed and the slowest is {factor} times "
            "slower. YaRN leaves alone those that turned often and slows the rest.",
            "办法都是让指针慢下来。位置内插（PI）把所有指针都放慢 {factor} 倍。NTK 改底数：快针不变，"
            "最慢的慢 {factor} 倍。YaRN 不动转得多的，只放慢其余的。",
        ),
    ),
    formula=(r"ω_i L_{train} < 2 π",),
    buttons=(
        Button(Text("as trained", "不处理"), "scaling=linear&factor=1"),
        Button(Text("PI", "PI"), "scaling=linear&factor=4"),
        Button(Text("NTK", "NTK"), "scaling=ntk&factor=4"),
        Button(Text("YaRN", "YaRN"), "scaling=yarn&factor=4"),
    ),
    sliders=(),
    pictures=(Picture("spectrum"),),
    reading=(),
    surprise=Text(
        "PI leaves no new arcs, but pays for it near by: the step between neighbours shrinks to {linear:.0%} "
        "of what the model knows. YaRN changes it by {yarn:.2%}. The far end was never the only problem.",
        "PI 一段新弧也不留，代价却在近处：相邻位置的一步缩到原来的 {linear:.0%}。YaRN 只改了 {yarn:.2%}。"
        "远处从来不是唯一的问题。",
    ),
    question=Question(
        Text(
            "Untreated, how many of the {pairs} hands meet angles at {length:,} words that training never "
            "showed?",
            "不处理的话，到 {length:,} 个词，{pairs} 根指针里有几根会遇到训练时没见过的角度？",
        ),
        (
            Answer(
                Text("All {pairs}", "{pairs} 根全部"),
                Text(
                    "{finished} of them had been all the way round in training. For them no angle is new.",
                    "其中 {finished} 根在训练时已经转满过一圈，对它们来说没有新角度。",
                ),
                "scaling=linear&factor=1",
            ),
            Answer(
                Text("{unseen}", "{unseen} 根"),
                Text(
                    "Yes: those which make no full turn in {trained:,} words.",
                    "对：就是 {trained:,} 个词里转不满一圈的那些。",
                ),
                "scaling=linear&factor=1",
                right=True,
            ),
            Answer(
                Text("None: cosines are defined everywhere", "没有：余弦处处有定义"),
                Text(
                    "Defined, yes. But a network has only learned to read what it was shown.",
                    "有定义，没错。可网络只学会了读它见过的东西。",
                ),
                "scaling=linear&factor=1",
            ),
        ),
    ),
    beliefs=(
        Belief(
            Text(
                "Sinusoids and RoPE work past the trained length by themselves.",
                "正弦编码和 RoPE 超过训练长度也能直接用。",
            ),
            Text(
                "They are defined there. At twice the length {twice:.0f} of {pairs} hands already stand at "
                "angles never trained.",
                "只是有定义而已。到两倍长度处，{pairs} 根指针里已有 {twice:.0f} 根停在没训练过的角度上。",
            ),
        ),
    ),
    numbers=_numbers,
)
