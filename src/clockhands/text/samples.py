"""Three short passages about the first chapters of the Water Margin, written for this project."""

from __future__ import annotations

from typing import NamedTuple

from clockhands.language import Text


class Passage(NamedTuple):
    """A passage: its title, its text in Chinese, and what it says in English."""

    title: Text
    text: str
    english: str


SAMPLES: tuple[Passage, ...] = (
    Passage(
        Text("The demons break loose", "妖魔出逃"),
        "京师闹瘟疫，洪太尉奉命上龙虎山，请张天师消灾。"
        "他不听道士劝阻，硬要打开大殿，掀起石板，"
        "一道黑气冲天而起，关了多年的妖魔全都跑了出来。",
        "A plague strikes the capital, and Marshal Hong is sent up Dragon and Tiger Mountain to ask Heavenly "
        "Master Zhang for help. He will not listen to the priests, has a hall opened and a stone slab "
        "lifted; a black cloud shoots up, and the demons locked in for years all escape.",
    ),
    Passage(
        Text("A master by chance", "巧遇名师"),
        "高俅做了太尉，一心要报复王进。王进带着母亲离开东京，投奔延安府。"
        "路过史家村，他看见史进正在练武，随口指点了几句。"
        "史进不服，比试之后才知道遇上了名师，当场跪下拜师。",
        "Gao Qiu is made marshal and sets his mind on revenge against Wang Jin, who leaves the Eastern "
        "Capital with his mother, bound for Yan'an. At Shi Family Village he sees Shi Jin practising and "
        "drops a few words of advice. Shi Jin won't have it, loses a bout, sees that he has met a master, "
        "and kneels to become his pupil.",
    ),
    Passage(
        Text("Three blows", "三拳"),
        "史进到渭州寻找师父，在茶坊里结识了鲁提辖。"
        "两人上楼喝酒，听见隔壁有人哭，原来是卖唱的父女被镇关西欺负。"
        "鲁提辖第二天来到肉铺，先让郑屠切肉，故意消遣他，随后三拳打死了这个恶霸。",
        "Shi Jin looks for his master in Weizhou and makes friends with Major Lu in a tea house. Drinking "
        "upstairs they hear someone weep next door: a singer and her father, bullied by the Lord of the "
        "West. Next day Lu goes to the butcher's, has Zheng cut meat to make sport of him, then kills the "
        "bully with three blows.",
    ),
)
