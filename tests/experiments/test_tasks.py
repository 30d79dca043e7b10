"""Items of each task, worked out again another way; the same for all, whatever was made before."""

import numpy as np
import pytest

from clockhands.errors import ClockhandsError
from clockhands.experiments.tasks import ANSWERING, TASKS, make_task
from clockhands.experiments.tasks.task import BEGIN, END, PAD, THEN

TEXT = "史进看见鲁达，鲁达看见史进，史进打郑屠，郑屠打不过鲁达。" * 100


def made(id, length=6):
    return make_task(id, length=length, context=16, text=TEXT)


def read(task, tokens):
    """Question and answer of each row, as written."""
    rows = []
    for row in tokens.tolist():
        written = [task.vocabulary[each] for each in row if each != PAD]
        assert (row[0], written[-1]) == (BEGIN, task.vocabulary[END])
        at = written.index(task.vocabulary[THEN])
        rows.append(("".join(written[1:at]), "".join(written[at + 1 : -1])))
    return rows


def closes(question, answer):
    word, before = question + answer, None
    while word != before:
        before, word = word, word.replace("()", "").replace("[]", "")
    return word == "" and set(answer) <= set(")]")


RIGHT = {
    "copy": lambda q, a: a == q,
    "reverse": lambda q, a: a[::-1] == q,
    "sort": lambda q, a: "".join(sorted(q)) == a,
    "addition": lambda q, a: _adds(q, a),
    "addition-reversed": lambda q, a: _adds("+".join(part[::-1] for part in q.split("+")), a[::-1]),
    "parity": lambda q, a: a == str(q.count("1") % 2),
    "even-pairs": lambda q, a: (
        a == ("a" if q[0] == q[-1] else "b")
    ),  # as many changes as make the ends differ
    "dyck": closes,
    "count": lambda q, a: a == "a" * len(q),
    "recall": lambda q, a: _recalls(q, a),
    "passkey": lambda q, a: len(a) == 3 and a in q and not set(q.replace(a, "")) & set("0123456789"),
}


def _recalls(question, answer):
    key = question[question.rindex("<") :]
    return question.count(key) == 2 and answer == question[question.index(key) + len(key)]


def _adds(question, answer):
    one, other = question.split("+")
    return int(one) + int(other) == int(answer) and (answer == "0" or answer[0] != "0")


@pytest.mark.parametrize("id", [task.id for task in ANSWERING])
def test_every_answer_is_right_and_asked_for(id):
    task = made(id)
    for items in (task.batch(3, 5, 40), *(task.test(3, length, 20) for length in task.lengths)):
        for question, answer in read(task, items.tokens):
            assert RIGHT[id](question, answer), (question, answer)
        for tokens, asked in zip(items.tokens, items.asked, strict=True):
            at = tokens.tolist().index(THEN)
            assert asked.tolist() == [at < place and token != PAD for place, token in enumerate(tokens)]
        assert items.tokens.shape[1] <= task.longest()


@pytest.mark.parametrize("id", [task.id for task in ANSWERING])
def test_lengths_are_those_asked_for(id):
    task = made(id)
    assert task.lengths[:4] == (6, 9, 12, 24)
    operands = 2 if id.startswith("addition") else 1

    def longest_part(items):
        if id == "recall":
            return [question.count("<") - 1 for question, _ in read(task, items.tokens)]
        beside = 3 if id == "passkey" else 0
        return [max(map(len, question.split("+"))) - beside for question, _ in read(task, items.tokens)]

    assert set(longest_part(task.test(0, 9, 10))) == {9}
    assert set(longest_part(task.batch(0, 0, 200))) == set(range(1, 7))
    assert operands == 1 or all("+" in question for question, _ in read(task, task.batch(0, 0, 5).tokens))


@pytest.mark.parametrize("id", [task.id for task in TASKS if not task.id.endswith("words")])
def test_items_hang_on_seed_and_step_alone(id):
    one, other = made(id), made(id)
    one.batch(1, 0, 8)
    first, again = one.batch(1, 7, 8), other.batch(1, 7, 8)
    assert np.array_equal(first.tokens, again.tokens)
    assert not np.array_equal(first.tokens, one.batch(1, 8, 8).tokens)
    assert not np.array_equal(one.check(1, 8).tokens, one.check(2, 8).tokens)


def test_brackets_stay_shallow():
    task = made("dyck", length=100)
    assert max(len(answer) for _, answer in read(task, task.test(0, 400, 50).tokens)) <= 8


def test_windows_of_a_text_do_not_overlap_and_are_not_trained_on():
    text = "".join(chr(0x4E00 + index % 997) for index in range(6000))  # each window tells where it is
    task = make_task("characters", length=1, context=16, text=text)
    tests = task.test(0, 32, 10)
    assert tests.tokens.shape == (10, 33)
    assert not tests.asked[:, 0].any()
    assert tests.asked[:, 1:].all()
    assert np.array_equal(tests.tokens[1:, 0], tests.tokens[:-1, -1])  # guessed there, given here
    written = "".join(task.vocabulary[each] for each in tests.tokens[0])
    assert text.rindex(written) == 5400


def test_what_cannot_be_made_is_said():
    with pytest.raises(ClockhandsError, match=r"tasks is 'coppy'.*did you mean 'copy'"):
        made("coppy")
    with pytest.raises(ClockhandsError, match="needs a text"):
        make_task("characters", length=8, context=16)
    with pytest.raises(ClockhandsError, match="has 100 characters, and tests with windows of 129 need 2,582"):
        make_task("characters", length=8, context=16, text="ab" * 50)


def test_the_passkey_stands_at_each_depth_in_turn():
    task = make_task("passkey", length=8, context=16)
    for index, (question, answer) in enumerate(read(task, task.test(0, 16, 10).tokens)):
        assert question.index(answer) == round(16 * float(task.groups[index % 5]))


def test_sliding_windows_guess_the_same_tokens_with_more_before_them():
    text = "".join(chr(0x4E00 + index % 997) for index in range(8000))
    task = make_task("characters", length=1, context=16, text=text)
    short, long = task.sliding(7, 16), task.sliding(7, 64)
    assert np.array_equal(short.tokens[short.asked], long.tokens[long.asked])
    assert short.asked.sum() == 7 * 4
    assert np.array_equal(short.tokens, long.tokens[:, -17:])


def test_shuffling_leaves_the_end_and_the_letters():
    task = made("characters")
    plain, shuffled = task.shuffled(9, ordered=True), task.shuffled(9, ordered=False)
    assert np.array_equal(plain.tokens[plain.asked], shuffled.tokens[shuffled.asked])
    assert np.array_equal(np.sort(plain.tokens), np.sort(shuffled.tokens))
    assert not np.array_equal(plain.tokens, shuffled.tokens)


def test_bytes_are_those_of_utf8():
    task = made("bytes")
    items = task.test(0, 16, 4)
    written = bytes(int(task.vocabulary[one], 16) for one in items.tokens[0])
    assert written in TEXT.encode()


@pytest.mark.parametrize(("id", "right"), [("reverse-at-once", "cba"), ("repeat-at-once", "abc")])
def test_encoders_say_something_at_each_place(id, right):
    task = make_task(id, length=8, context=16)
    letters = [task.vocabulary.index(letter) for letter in "abc"]
    assert "".join(task.vocabulary[one] for one in task.said(letters)) == right
    items = task.batch(0, 0, 20)
    assert np.array_equal(items.asked, items.tokens != PAD)
    assert all(
        task.said([token for token in row if token != PAD]) == [said for said in targets if said != PAD]
        for row, targets in zip(items.tokens.tolist(), items.targets.tolist(), strict=True)
    )


def test_hidden_words_are_asked_for_where_they_stand():
    task = make_task("masked-words", length=8, context=8, text=TEXT)
    plain = make_task("words", length=8, context=8, text=TEXT)
    for items, length in ((task.batch(0, 0, 30), 8), (task.test(0, 32, 9), 32)):
        assert items.asked.sum(axis=1).tolist() == [round(0.15 * length)] * len(items.tokens)
        hidden = items.tokens == task.vocabulary.index("<hidden>")
        assert np.array_equal(hidden, items.asked)
        assert np.array_equal(items.tokens[~hidden], items.targets[~hidden])
        assert (items.targets > task.vocabulary.index("<hidden>")).all()  # a rare word is no padding
        tags = {
            task.vocabulary[word]: tag for word, tag in zip(items.targets.flat, items.tags.flat, strict=True)
        }
        assert task.tags[tags["看见"]] == "v"
    assert not np.array_equal(task.batch(0, 0, 30).asked, task.batch(0, 1, 30).asked)
    read = [[task.vocabulary[one] for one in row] for row in task.test(1, 8, 3).targets]
    assert read == [[plain.vocabulary[one] for one in row[:8]] for row in plain.test(0, 8, 3).tokens]
