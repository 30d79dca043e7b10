"""What can be wrong with how a function turns queries and keys: texts for ``--explain``, CH101 to CH109."""

from __future__ import annotations

from clockhands.check.probe.findings.making import rule
from clockhands.language import Text

PAIRING = rule(
    "CH101",
    Text("dimensions are paired one way and turned another", "维度按一种方式配对，却按另一种方式转动"),
    Text(
        "A hand is two dimensions turned by one angle. Where cos and sin are laid out for neighbours (0, "
        "1), (2, 3) … "
        "and the vector is swapped in halves, or the other way round, the two dimensions of a pair get "
        "different "
        "angles: that is no rotation, lengths change, and scores no longer depend on the distance alone. At "
        "position 0 every angle is 0, so the first token is right and hides it.",
        "一根指针是按同一角度转动的两维。如果 cos 和 sin 按相邻维度 (0, 1)、(2, 3)…… 排列，"
        "向量却按前后对半交换"
        "（或者相反），一对中的两维就得到不同的角度：这不是旋转，向量长度会变，得分也不再只取决于距离。"
        "位置 0 的角度都是 0，所以第一个词元是对的，掩盖了错误。",
    ),
    "NeuraLegion/shainet #111",
)
SIGN = rule(
    "CH102",
    Text("the sine has one sign too many or too few", "正弦的符号错了一处"),
    Text(
        "A rotation has the sine twice, with opposite signs. With the same sign twice it mirrors instead of "
        "turning, and scores change when all positions move: -9.46, -0.82, -13.39 at shifts 0, 1,000 and "
        "100,000 "
        "in one "
        "example, where -8.11 three times is right. Both signs flipped is no error: then hands turn the "
        "other way.",
        "旋转中正弦出现两次，符号相反。两处同号就成了镜像而不是旋转，所有位置一起平移时得分会变："
        "某例在平移 0、1,000、100,000 时得分为 -9.46、-0.82、-13.39，正确时三次都是 -8.11。"
        "两处符号都反过来不算错：指针只是反向转动。",
    ),
    "karpathy/nanochat #489",
)
SIDES = rule(
    "CH103",
    Text("queries and keys are turned differently", "查询和键的转动方式不同"),
    Text(
        "A score depends on the distance alone if queries and keys turn alike: same pairs, same speeds, "
        "same way "
        "round. One interleaved and one in halves, or two directions, and it depends on where in the text "
        "both are.",
        "只有查询和键以相同方式转动（配对、速度、方向都相同），得分才只取决于距离。"
        "若一个交错、一个前后对半，或方向相反，得分就取决于它们在文本中的绝对位置。",
    ),
    "huggingface/transformers #25199",
)
SHIFT = rule(
    "CH104",
    Text("scores change when all positions move together", "所有位置一起平移时得分会变"),
    Text(
        "Rotary encoding knows distances only. The score of a query at m + 5 and a key at m must be the "
        "same for "
        "every m, near 0 and at 100,000. Where it isn't and no simpler fault explains it, something else "
        "depends on the place: a magnitude, a table, a rounding.",
        "旋转位置编码只知道距离。查询在 m + 5、键在 m 时，无论 m 在 0 附近还是 100,000，得分都应相同。"
        "如果不同，又没有更简单的原因，就有别的东西依赖绝对位置：长度、表，或舍入。",
    ),
)
HEADS = rule(
    "CH105",
    Text("heads that should be treated alike are not", "本应同样处理的头被区别对待"),
    Text(
        "With grouped queries there are fewer key heads than query heads. Code that splits or reshapes keys "
        "into the number of query heads mixes dimensions of different heads; conversion scripts did so, and "
        "models spoke gibberish.",
        "使用分组查询注意力时，键头比查询头少。如果代码按查询头的数目拆分或变形键，"
        "就会把不同头的维度混在一起；"
        "一些转换脚本正是这样出错，模型输出乱码。",
    ),
    "ggml-org/llama.cpp #3018",
)
EXPONENT = rule(
    "CH106",
    Text("exponents are spaced over the head, not over the turned width", "指数按整个头而不是转动宽度计算"),
    Text(
        "With partial rotation the exponent is 2i / rotary_dim. Taking head_dim there makes every hand "
        "faster: head "
        "256, turned 64, the slowest hand at 0.107 and not 1.33e-4 rad / token, 471 rad apart at position "
        "1,000.",
        "部分旋转时指数为 2i / rotary_dim。若用 head_dim，每根指针都变快：头宽 256、转动 64 维时，"
        "最慢的指针为 0.107，而不是 1.33e-4 弧度 / 词元，在位置 1,000 相差 471 弧度。",
    ),
    "pie-project/pie #603",
)
MEANT = rule(
    "CH107",
    Text("it does something else than it is meant to", "它所做的与应做的不同"),
    Text(
        "You said what the function should do (expect=…), and it was measured to do something else. Scaling "
        "that is "
        "dropped, or Llama 3's scaling taken as a plain division, reads fluently at short length and falls "
        "apart later; a partial rotation that is ignored never works.",
        "你说明了函数应当做什么（expect=…），测得的却不同。漏掉缩放，或把 Llama 3 的缩放当成简单的除法，"
        "在短文本上读起来通顺，长了就崩溃；忽略部分旋转则从来不对。",
    ),
    "unslothai/unsloth #6907",
)
ODD = rule(
    "CH108",
    Text("an odd width is not handled", "没有处理奇数宽度"),
    Text(
        "An odd width has one sine more than cosines: cos gets floor(d / 2) columns. Code that gives both "
        "the same number fails with a size error, or drops a column.",
        "宽度为奇数时，正弦比余弦多一列：cos 只有 floor(d / 2) 列。两者给相同列数的代码会因尺寸不符而失败，"
        "或丢掉一列。",
    ),
    "codertimo/BERT-pytorch #78",
)
CROSSED = rule(
    "CH109",
    Text("cos and sin are taken for each other", "cos 和 sin 弄反了"),
    Text(
        "At position 0 cos is 1 and sin is 0, and nothing turns. With the two swapped each pair "
        "is turned by a "
        "quarter there, and from then on the other way round. If queries and keys both are, scores stay; "
        "beside keys or weights of others they are wrong.",
        "位置 0 处 cos 为 1、sin 为 0，什么也不转。两者弄反时，每一对在那里就转了四分之一圈，"
        "此后又朝相反方向转。"
        "如果查询和键都这样，得分不变；但与别处得到的键或权重一起用就错了。",
    ),
)

RULES = (PAIRING, SIGN, SIDES, SHIFT, HEADS, EXPONENT, MEANT, ODD, CROSSED)
