"""Who wrote what: every arXiv number on a card, against a record of its own, read from the papers' pages."""

from __future__ import annotations

import re

import pytest

from clockhands.catalogue import CATALOGUE
from clockhands.catalogue.card import Source

RECORD = {
    "1705.03122": (5, "Gehring", "Dauphin", "Convolutional Sequence"),
    "1706.03762": (8, "Vaswani", "Polosukhin", "Attention Is All"),
    "1803.02155": (3, "Shaw", "Vaswani", "Self-Attention with Relative"),
    "1809.04281": (10, "Huang", "Eck", "Music Transformer"),
    "1810.04805": (4, "Devlin", "Toutanova", "BERT"),
    "1901.02860": (6, "Dai", "Salakhutdinov", "Transformer-XL"),
    "1906.08237": (6, "Yang", "Le", "XLNet"),
    "1910.10683": (9, "Raffel", "Liu", "Exploring the Limits"),
    "2006.03654": (4, "He", "Chen", "DeBERTa:"),
    "2006.15595": (3, "Ke", "Liu", "Rethinking Positional"),
    "2103.14030": (8, "Liu", "Guo", "Swin Transformer:"),
    "2104.09864": (6, "Su", "Liu", "RoFormer"),
    "2106.02795": (5, "Li", "Bengio", "Learnable Fourier"),
    "2106.03143": (5, "Likhomanenko", "Rogozhnikov", "CAPE"),
    "2108.12409": (3, "Press", "Lewis", "Train Short"),
    "2109.05644": (4, "Kiyono", "Inui", "SHAPE"),
    "2111.09543": (3, "He", "Chen", "DeBERTaV3"),
    "2111.09883": (12, "Liu", "Guo", "Swin Transformer V2"),
    "2203.16634": (5, "Haviv", "Levy", "Transformer Language Models without"),
    "2205.09921": (4, "Chi", "Rudnicky", "KERPLE"),
    "2212.10356": (4, "Chi", "Ramadge", "Dissecting Transformer Length"),
    "2212.10554": (9, "Sun", "Wei", "A Length-Extrapolatable"),
    "2303.11331": (6, "Fang", "Cao", "EVA-02"),
    "2305.16843": (8, "Ruoss", "Veness", "Randomized Positional"),
    "2305.19466": (5, "Kazemnejad", "Reddy", "The Impact of Positional"),
    "2306.15595": (4, "Chen", "Tian", "Extending Context Window"),
    "2307.08621": (8, "Sun", "Wei", "Retentive Network"),
    "2308.16137": (7, "Han", "Wang", "LM-Infinite"),
    "2309.00071": (4, "Peng", "Shippole", "YaRN"),
    "2309.16039": (21, "Xiong", "Ma", "Effective Long-Context"),
    "2309.17453": (5, "Xiao", "Lewis", "Efficient Streaming"),
    "2310.04418": (10, "Li", "Bhojanapalli", "Functional Interpolation"),
    "2401.01325": (8, "Jin", "Hu", "LLM Maybe LongLM"),
    "2402.01032": (4, "Jelassi", "Malach", "Repeat After Me"),
    "2402.13753": (8, "Ding", "Yang", "LongRoPE"),
    "2402.17463": (7, "An", "Kong", "Training-Free Long-Context"),
    "2403.00071": (5, "Wang", "Liu", "Resonance RoPE"),
    "2403.13298": (4, "Heo", "Yun", "Rotary Position Embedding for Vision"),
    "2405.14722": (11, "Zheng", "Li", "DAPE: Data-Adaptive"),
    "2405.17399": (11, "McLeish", "Goldstein", "Transformers Can Do Arithmetic"),
    "2405.18719": (4, "Golovneva", "Sukhbaatar", "Contextual Position"),
    "2405.20671": (6, "Cho", "Yun", "Position Coupling"),
    "2406.10322": (6, "Ostmeier", "Langlotz", "LieRE"),
    "2410.04798": (12, "Zheng", "Li", "DAPE V2"),
    "2410.06205": (5, "Barbero", "Veličković", "Round and Round"),
    "2410.17980": (5, "Tan", "Shen", "Scaling Stick-Breaking"),
    "2410.18745": (8, "An", "Kong", "Why Does the Effective"),
    "2410.21216": (5, "Chen", "Liu", "HoPE: A Novel"),
    "2412.17739": (10, "Hua", "Zhou", "Fourier Position"),
    "2501.19399": (1, "Nakanishi", "Nakanishi", "Scalable-Softmax"),
    "2502.02004": (4, "Oka", "Saito", "Wavelet-based"),
    "2503.02130": (4, "Lin", "Courville", "Forgetting Transformer"),
    "2503.08067": (3, "Veisi", "Mansourian", "Context-aware Biases"),
    "2505.16381": (8, "Yang", "Kim", "PaTH Attention"),
    "2506.03737": (10, "Yu", "Yuan", "ComRoPE"),
    "2507.23083": (3, "Veisi", "Amirzadeh", "Context-aware Rotary"),
    "2509.10534": (4, "Gopalakrishnan", "Mozer", "Decoupling"),
    "2511.17388": (6, "Movahedi", "Cevher", "Selective Rotary"),
    "2512.07805": (9, "Zhang", "Yao", "Group Representational"),
    "2602.05258": (4, "Li", "Wang", "CoPE: Clipped"),
}
"""arXiv number: how many wrote it, the first and the last of them, how its title begins."""

MANY = {
    "2407.21783": ("Grattafiori", "The Llama 3 Herd"),
    "2408.06072": ("Yang", "CogVideoX"),
    "2409.12191": ("Wang", "Qwen2-VL"),
    "2503.19786": ("Gemma Team", "Gemma 3"),
    "2503.20314": ("Wan Team", "Wan:"),
    "2511.21631": ("Bai", "Qwen3-VL"),
}
"""Written by a whole team: its first author or its name, how its title begins."""


def all_sources() -> list[Source]:
    return [source for scheme in CATALOGUE for source in (*scheme.card.sources, *scheme.card.related)]


PAPERS = sorted({(source.where, source.authors, source.title) for source in all_sources()})


@pytest.mark.parametrize(("where", "authors", "title"), PAPERS)
def test_an_arxiv_number_belongs_to_these_authors_and_this_title(
    where: str, authors: str, title: str
) -> None:
    if not where.startswith("arXiv "):
        return
    number, named = where.removeprefix("arXiv "), authors.removesuffix(" et al.").split(", ")
    if number in MANY:
        first, begins = MANY[number]
    else:
        count, first, last, begins = RECORD[number]
        if authors.endswith(" et al."):
            assert len(named) < count
        else:
            assert (len(named), named[-1]) == (count, last)
    assert named[0] == first
    assert title.startswith(begins)


def test_only_long_lists_of_authors_are_cut() -> None:
    for source in all_sources():
        assert not re.search(r", et al|\bet al(?!\.$)", source.authors), source.authors
        number = source.where.removeprefix("arXiv ")
        if source.authors.endswith(" et al.") and number not in MANY and source.where != number:
            assert RECORD[number][0] > 12, source.where


def test_a_paper_is_cited_alike_on_every_card() -> None:
    cited: dict[str, set[tuple[str, int]]] = {}
    for source in all_sources():
        if source.where.startswith("arXiv "):
            cited.setdefault(source.where, set()).add((source.authors, source.year))
    assert {where: ways for where, ways in cited.items() if len(ways) > 1} == {}


def test_the_record_holds_nothing_else() -> None:
    used = {source.where.removeprefix("arXiv ") for source in all_sources()}
    assert {*RECORD, *MANY} <= used
