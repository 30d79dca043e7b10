from __future__ import annotations

from clockhands.demo.markup import attribute, html
from clockhands.demo.speech import said
from clockhands.language import Text


def shown(template: str, **values: object) -> str:
    return html(said(Text(template, template), **values).en)


def test_numbers_and_tokens_become_elements() -> None:
    assert shown("{n} of {w}", n=1709, w="史进") == '<span class="n">1,709</span> of <bdi>史进</bdi>'


def test_emphasis_and_code() -> None:
    assert html("*every* `p`") == "<em>every</em> <code>p</code>"


def test_everything_is_escaped() -> None:
    assert html('a < b & "c"') == "a &lt; b &amp; &quot;c&quot;"
    assert shown("{w}", w="</script><b>") == "<bdi>&lt;/script&gt;&lt;b&gt;</bdi>"


def test_signs_inside_a_token_stay_what_they_are() -> None:
    assert shown("*so* {w} {v}", w="*a*", v="`b`") == "<em>so</em> <bdi>*a*</bdi> <bdi>`b`</bdi>"


def test_a_token_never_pairs_with_a_sign_outside() -> None:
    assert "<em>" not in shown("5 * {w}", w="x*")


def test_an_attribute_holds_plain_text() -> None:
    sentence = said(Text('*{n}* "{w}"', ""), n=3, w='"><img>').en
    assert attribute(sentence) == "3 &quot;&quot;&gt;&lt;img&gt;&quot;"
