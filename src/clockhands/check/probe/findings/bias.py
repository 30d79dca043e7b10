"""What can be wrong with a bias on the scores: CH170 to CH180."""

from __future__ import annotations

from clockhands.check.probe.findings.making import rule
from clockhands.language import Text

ONE_SERIES = rule(
    "CH170",
    Text(
        "ALiBi slopes form one series for a head count that is no power of two",
        "头数不是 2 的幂时 ALiBi 斜率仍是一个等比数列",
    ),
    Text(
        "The published models take the slopes of the power of two below, then every other one of the power "
        "above: "
        "for 6 heads 0.25, 0.0625, 0.0156, 0.0039, 0.5, 0.125. One series gives 0.397, 0.157, 0.0625 …",
        "公开的模型先取不超过头数的 2 的幂的斜率，再隔一个取下一个幂的斜率：6 个头为 0.25、0.0625、0.0156、"
        "0.0039、0.5、0.125。一个等比数列则是 0.397、0.157、0.0625……",
    ),
    "ml-explore/mlx #343",
)
FROM_ZERO = rule(
    "CH171",
    Text("ALiBi slopes start at 1", "ALiBi 斜率从 1 开始"),
    Text(
        "The exponent runs from 1: with 8 heads the slopes are 0.5 … 0.0039. From 0 on, head 0 has slope 1.",
        "指数从 1 开始：8 个头的斜率是 0.5 … 0.0039。若从 0 开始，第 0 个头的斜率就是 1。",
    ),
    "paiml/aprender #2143",
)
REWARDS = rule(
    "CH172",
    Text("keys ahead of the query are rewarded", "在查询之后的键反而加分"),
    Text(
        "A line through the distance, -m (i - j), is positive for keys ahead. With a causal mask nobody "
        "sees them; an encoder needs -m |i - j|.",
        "沿距离的直线 -m (i - j) 对后面的键为正。有因果掩码时看不到它们；编码器则需要 -m |i - j|。",
    ),
    "ofirpress/attention_with_linear_biases #5",
)
SIGN = rule(
    "CH173",
    Text("the distance has the wrong sign", "距离的符号反了"),
    Text(
        "T5 takes key position - query position. With the sign turned, all keys in the past share one "
        "bucket and the masked future is told apart; a line with the wrong sign rewards distance.",
        "T5 用键位置减查询位置。符号反了，过去的键都落入同一个桶，被遮住的未来反而被区分；"
        "直线的符号反了则奖励距离。",
    ),
    "huggingface/candle #1312",
)
UNCLAMPED = rule(
    "CH174",
    Text("far distances leave the table of buckets", "较远的距离超出桶的范围"),
    Text(
        "From max_distance on all keys share the last bucket. Without the clamp distance 128 of 32 buckets "
        "is bucket 32, which does not exist.",
        "从 max_distance 起所有键共用最后一个桶。不截断时，32 个桶、距离 128 得到并不存在的第 32 桶。",
    ),
    "lucidrains/x-transformers #10",
)
LOGARITHM = rule(
    "CH175",
    Text("buckets are not those of T5", "桶的划分与 T5 不同"),
    Text(
        "Half of the buckets are exact, the others grow logarithmically up to max_distance. Another "
        "logarithm or another end moves every far key to another row of the trained table.",
        "一半的桶各对应一个距离，其余按对数增长到 max_distance。对数或终点不同，"
        "就会让较远的键取到训练好的表中的另一行。",
    ),
    "huggingface/candle #727",
)
DECODE = rule(
    "CH176",
    Text("a decoded row differs from the last row of the whole bias", "解码时的一行与完整偏置的最后一行不同"),
    Text(
        "With a cache the only query is the last: its row of the bias is the last row. Dropped, or taken as "
        "row 0, it makes every decoded token wrong and leaves the prompt right.",
        "有缓存时唯一的查询是最后一个：它的偏置是最后一行。若被丢掉，或取成第 0 行，解码出的词元全错，"
        "而提示部分是对的。",
    ),
    "huggingface/transformers #4499",
)
PADDED = rule(
    "CH177",
    Text("padding changes the bias between tokens", "填充改变了词元之间的偏置"),
    Text(
        "Padded on the left, tokens keep their distances, so the bias between them stays, but for a "
        "constant a query.",
        "左侧填充后词元间的距离不变，所以它们之间的偏置也不变（每个查询可以差一个常数）。",
    ),
    "huggingface/transformers #17866",
)
ACROSS = rule(
    "CH179",
    Text("attention across has a bias by position", "交叉注意力带有位置偏置"),
    Text(
        "A decoder's tokens and an encoder's are two texts: between them there is no distance. T5 "
        "adds its bias "
        "where a text looks at itself, and none across.",
        "解码器和编码器的词元是两段文本，彼此之间没有距离。T5 只在文本看自身时加偏置，交叉注意力不加。",
    ),
    "huggingface/transformers #8518",
)
WEIGHTS = rule(
    "CH180",
    Text("weights stand where a bias should", "该是偏置的地方成了注意力权重"),
    Text(
        "Layers that return a bias for the next layer return weights as well when these are asked "
        "for. Taken by "
        "its place among the outputs, the one is handed on for the other: then every row sums to 1.",
        "把偏置传给下一层的层，在要求返回权重时会多返回一项。如果按输出的次序取值，就会把权重当成偏置传下去："
        "这时每一行的和都是 1。",
    ),
    "huggingface/transformers #4499",
)

RULES = (ONE_SERIES, FROM_ZERO, REWARDS, SIGN, UNCLAMPED, LOGARITHM, DECODE, PADDED, ACROSS, WEIGHTS)
