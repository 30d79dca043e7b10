"""Trials from beginning to end on tiny models: kept, gone on with, told; and what can't be tried."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tiny_models import llama
from torch import Tensor
from torch.nn import functional

import clockhands as ch
from clockhands.errors import ClockhandsError
from clockhands.extend.trials import run, variants
from clockhands.extend.trials.costs import Costs, measured
from clockhands.extend.trials.design import AS_GIVEN, DEPTHS, USUAL, Cell
from clockhands.extend.trials.files import as_csv, as_record
from clockhands.extend.trials.found import found_in
from clockhands.extend.trials.page import as_page
from clockhands.extend.trials.store import Store
from clockhands.extend.trials.texts import numbered, passkey, window
from clockhands.extend.trials.words import heading, sentences, tables
from clockhands.training.loop import Stopped

L = 32


def model(**fields: Any) -> Any:
    return llama(max_position_embeddings=L, **fields)


def ids(count: int) -> list[int]:
    return torch.randint(0, 61, (count,), generator=torch.Generator().manual_seed(3)).tolist()


class Letters:
    """A tokenizer of letters, as transformers has them; ``bos``: it begins every text with 1."""

    def __init__(self, bos: bool = False, first: int = 2):
        self.bos_token_id, self.first = (1 if bos else None), first

    def __call__(self, text: str, add_special_tokens: bool = True, **_: Any) -> dict[str, list[int]]:
        begin = [1] if self.bos_token_id is not None and add_special_tokens else []
        return {"input_ids": [*begin, *(self.first + ord(each) % 59 for each in text)]}


TEXT = "On the whole, the quick brown fox jumps over the lazy dog 17 times. " * 20


# what is read ------------------------------------------------------------------------------------


def test_windows_tile_the_same_text_and_end_alike() -> None:
    found = ch.extend.trial(model(), ids(200), to=4 * L, full=True, slides=3, methods=["linear"])
    design = found.design
    assert (design.lengths, design.tokens, design.slides) == ((32, 64, 128), 128, 3)
    read = numbered(ids(200), None, 1, 128 + 2 * 8)
    ends = {}
    for cell in design.cells():
        inputs, targets = window(read, design, cell)
        assert torch.equal(inputs[1:], targets[:-1])
        assert len(inputs) == cell.length
        if cell.kind == "window" and cell.method == AS_GIVEN:
            ends.setdefault(cell.length, []).append(targets)
    for tiles in ends.values():
        assert torch.cat(tiles[::-1]).tolist() == ids(200)[17 : 17 + 128]
    # The last quarter of the trained length, the same at all lengths, eight tokens earlier each time.
    for length in design.lengths:
        for index in range(3):
            kind = "window" if index == 0 else "sliding"
            _, targets = window(read, design, Cell(kind, AS_GIVEN, length, index))
            end = 145 - 8 * index
            assert targets[-8:].tolist() == ids(200)[end - 8 : end]


def test_a_token_to_begin_with_stands_before_every_window() -> None:
    read = numbered(TEXT, Letters(bos=True), 10, 100)
    assert read.begin == 1
    assert read.ids.tolist() == Letters()(TEXT)["input_ids"][:101]
    design = ch.extend.trial(model(), TEXT, to=2 * L, tokenizer=Letters(bos=True), methods=["linear"]).design
    assert design.begin == 1
    inputs, targets = window(read, design, Cell("window", AS_GIVEN, L, 0))
    assert inputs[0] == 1
    assert torch.equal(inputs[1:], targets[:-1])


def test_numbers_are_means_of_what_was_read() -> None:
    """Mean, perplexity, positions and the same tokens, computed here from brute-force losses."""
    tiny, tokens = model(), torch.tensor(ids(200))
    found = ch.extend.trial(tiny, tokens.tolist(), to=2 * L, full=True, slides=2, methods=["linear"])
    text = tokens[: 64 + 8 + 1]
    with torch.no_grad():

        def cost(start: int, stop: int) -> Tensor:
            logits = tiny(text[None, start:stop]).logits[0].double()
            return functional.cross_entropy(logits, text[start + 1 : stop + 1], reduction="none")

        halves = torch.stack((cost(8, 40), cost(40, 72)))
        same = torch.cat((cost(0, 64)[-8:], cost(8, 72)[-8:]))
        short = torch.cat((cost(32, 64)[-8:], cost(40, 72)[-8:]))
    assert found.perplexity(AS_GIVEN, 32) == pytest.approx(float(halves.mean().exp()), rel=1e-5)
    np.testing.assert_allclose(found.by_position(AS_GIVEN, 32), halves.mean(0), atol=1e-4)
    np.testing.assert_allclose(found.same_tokens(AS_GIVEN, 64), same, atol=1e-4)
    rise = found.rise(AS_GIVEN, 64)
    assert rise.value == pytest.approx(float((same - short).mean()), abs=1e-4)
    runs = [float(each.mean()) for each in torch.tensor_split(same - short, 4)]
    assert rise.either_side == pytest.approx(1.96 * np.std(runs, ddof=1) / 2, abs=1e-4)
    assert found.rise(AS_GIVEN, 32).value == 0


def test_a_passkey_stands_at_its_depth_and_is_asked_for_at_the_end() -> None:
    read = numbered(TEXT, Letters(), 10, 400)
    keys = set()
    for index, depth in enumerate(DEPTHS):
        inputs, targets, count = passkey(read, Cell("passkey", "yarn", 300, index))
        whole = [*inputs.tolist(), int(targets[-1])]
        assert (len(whole), count) == (301, 6)  # a space and five digits
        answer = whole[-5:]
        keys.add(tuple(answer))
        asked = Letters()("\nWhat is the pass key? The pass key is ")["input_ids"]
        assert whole[-5 - len(asked) : -5] == asked
        places = [at for at in range(290) if whole[at : at + 5] == answer]
        assert len(places) == 2  # said twice
        said = Letters()("\nThe pass key is ")["input_ids"]
        sentence = "\nThe pass key is 12345. Remember it. 12345 is the pass key.\n"
        room = 301 - len(asked) - 5 - len(sentence)
        assert places[0] - len(said) == round(depth * room)
    assert len(keys) == len(DEPTHS)
    with pytest.raises(ClockhandsError, match="a window of 40 tokens has no room for a passkey"):
        passkey(read, Cell("passkey", "yarn", 40, 0))
    chinese = numbered("水浒传里的人物很多。" * 100, Letters(), 10, 400)
    assert chinese.chinese
    inputs, *_ = passkey(chinese, Cell("passkey", "yarn", 300, 0))
    assert inputs.tolist()[:7] == Letters()("\n通行密码是")["input_ids"] + inputs.tolist()[6:7]


def trained_to_look_back() -> Any:
    """Each token is that of eight places before: a model that has learned one distance."""
    torch.manual_seed(0)
    tiny = model(vocab_size=17, num_hidden_layers=1, hidden_size=32, num_key_value_heads=4)
    for each in tiny.parameters():
        each.data.mul_(0.3)
    adam = torch.optim.Adam(tiny.parameters(), 4e-3)
    for _ in range(250):
        tokens = torch.randint(0, 17, (16, 8)).repeat(1, 5)[:, : L + 1]
        logits = tiny(tokens[:, :-1]).logits[:, 8:]
        loss = functional.cross_entropy(logits.flatten(0, 1), tokens[:, 9:].flatten())
        adam.zero_grad()
        loss.backward()
        adam.step()
    assert loss.item() < 0.5
    return tiny.eval()


def test_a_trained_model_shows_what_the_methods_are_said_to_do() -> None:
    """Slower hands move the one distance that was learned; near tokens stay where distances do."""
    block = torch.randint(0, 17, (8,), generator=torch.Generator().manual_seed(1))
    found = ch.extend.trial(
        trained_to_look_back(), block.repeat(40).tolist(), to=4 * L, methods=["linear", "dynamic", "rerope"],
        full=True, slides=2,
    )  # fmt: skip
    at = {method: found.rise(method, L).value for method in found.design.methods}
    assert at["dynamic"] == 0
    assert at["linear"] > 1
    assert abs(at["rerope"]) < at["linear"] / 10
    first, beside = found.best(4 * L)
    assert first != "linear"
    assert "linear" not in beside


def test_the_estimate_grows_as_attention_does() -> None:
    costs = Costs(token=0.01, at=100, plain=2.0, remapped=3.0)
    long = Cell("window", "any", 400, 0)
    assert costs.of(long, variants.AsGiven()) == pytest.approx(0.01 * 400 + 2.0 * 16)
    assert costs.of(long, variants.Remapped(None, None)) == pytest.approx(0.01 * 400 + 3.0 * 16)
    found = measured(model(), 64, None)
    assert found.token > 0
    assert found.plain == found.remapped > 0


# kept, and gone on with ----------------------------------------------------------------------------


def test_a_stopped_trial_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny, given = model(), {"to": 2 * L, "full": True, "slides": 2, "methods": ["linear", "rerope"]}
    whole = ch.extend.trial(tiny, ids(200), **given)
    reading, count = run.Trial.read, 0

    def interrupted(self: Any, cell: Cell) -> Any:
        nonlocal count
        count += 1
        if count == 7:
            raise KeyboardInterrupt
        return reading(self, cell)

    monkeypatch.setattr(run.Trial, "read", interrupted)
    with pytest.raises(Stopped, match="stopped after 6 of 15 windows, which are kept: the same command"):
        ch.extend.trial(tiny, ids(200), path=tmp_path, **given)
    assert "6 of 15 windows are read" in (tmp_path / "report.html").read_text(encoding="utf-8")
    with (tmp_path / "windows.jsonl").open("a") as file:
        file.write('{"cell": "window/linear/32/0", "los')  # a kill in the middle of a line
    read: list[str] = []

    def noted(self: Any, cell: Cell) -> Any:
        read.append(cell.id)
        return reading(self, cell)

    monkeypatch.setattr(run.Trial, "read", noted)
    said: list[str] = []
    found = ch.extend.trial(tiny, ids(200), path=tmp_path, say=lambda text: said.append(text.en), **given)
    assert read == [cell.id for cell in whole.design.cells()][6:]
    assert said[0].startswith("6 are read already; 9 windows are left, ")
    for kept in (found, found_in(Store(tmp_path))):
        assert list(kept.rows) == list(whole.rows)
        for cell, row in whole.rows.items():
            np.testing.assert_allclose(kept.rows[cell].losses, row.losses, atol=1e-5)
    # Nothing is left: nothing is read, and nothing is measured.
    read.clear()
    ch.extend.trial(tiny, ids(200), path=tmp_path, **given)
    assert read == []


def test_a_folder_holds_one_trial(tmp_path: Path) -> None:
    ch.extend.trial(model(), ids(200), to=2 * L, path=tmp_path, methods=["linear"])
    for other in ({"to": 2 * L, "methods": ["yarn"]}, {"to": 3 * L, "methods": ["linear"]}):
        with pytest.raises(ClockhandsError, match="holds a trial of another model, text, length or choice"):
            ch.extend.trial(model(), ids(200), path=tmp_path, **other)
    weights = model()
    weights.model.layers[0].mlp.up_proj.weight.data[0, 0] += 1
    with pytest.raises(ClockhandsError, match="holds a trial of another model"):
        ch.extend.trial(weights, ids(200), to=2 * L, path=tmp_path, methods=["linear"])
    (tmp_path / "trial.json").write_text("{")
    with pytest.raises(ClockhandsError, match=r"trial.json is missing or damaged"):
        found_in(Store(tmp_path))
    with pytest.raises(ClockhandsError, match="holds no trial"):
        found_in(Store(tmp_path / "elsewhere"))


# told ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found() -> Any:
    return ch.extend.trial(
        model(), TEXT, to=10 * L, tokenizer=Letters(), full=True, slides=2, lengths=[32, 256]
    )


def test_a_full_trial_is_told_in_both_languages(found: Any) -> None:
    assert found.whole
    assert found.design.methods == (AS_GIVEN, *ch.extend.IDS)
    titles = [table.title for table in tables(found)]
    assert titles[1].en.startswith("The same 16 tokens with so many in the window")
    for table in tables(found):
        assert len(table.rows) == 11
        assert {len(row) for row in table.rows} == {3}
    for text in (*titles, *heading(found), *sentences(found)):
        assert text.en
        assert any("\u4e00" <= each <= "\u9fff" for each in text.zh)
    for lang in ("en", "zh"):
        page = as_page(found, lang)
        assert page.count("<img ") == 2 + 1  # passkeys where there is room for them
        assert "http" not in page.split("<body>")[1].replace("data:image", "")


def test_files_hold_the_same_numbers(found: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(found))))
    record = json.loads(json.dumps(as_record(found), allow_nan=False))
    assert len(rows) == len(record["methods"]) == 20
    by = {(row["method"], int(row["length"])): row for row in rows}
    for each in record["methods"]:
        row = by[each["method"], each["length"]]
        assert float(row["perplexity"]) == pytest.approx(each["perplexity"])
        assert each["perplexity"] == pytest.approx(found.perplexity(each["method"], each["length"]))
        right, asked = found.retrieved(each["method"], each["length"])
        told = (row["passkeys_right"], row["passkeys_asked"])
        assert told == ((str(right), "5") if each["length"] > 250 else ("", "0"))
        assert asked == (5 if each["length"] > 250 else 0)
    assert len(record["loss_by_position"]["yarn"]["256"]) == 256


def test_the_usual_run_is_six_ways_of_two_windows() -> None:
    said: list[str] = []
    found = ch.extend.trial(model(), ids(200), to=8 * L, say=lambda text: said.append(text.en))
    assert found.design.methods == (AS_GIVEN, *USUAL)
    assert [cell.length for cell in found.rows] == [32] * 6 + [64] * 6
    assert said[0].startswith("12 windows are left, 576 tokens in all: about ")


# what can't be tried ---------------------------------------------------------------------------------


def without_numbers() -> Any:
    tiny = model()
    tiny.model.layers[1].self_attn.q_proj.weight.data[3, 4] = float("nan")
    return tiny


def without_rotation() -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(GPT2Config(vocab_size=61, n_embd=32, n_layer=1, n_head=2, n_positions=64))


def wide() -> Any:
    tiny = model()
    tiny.config.intermediate_size = 10**13
    return tiny


@pytest.mark.parametrize(
    ("made", "text", "given", "said"),
    [
        (model, ids(60), {}, r"the text has 60 tokens, and the longest window needs 65: give a longer text"),
        (model, TEXT, {}, "the text is in words and there is no tokenizer"),
        (model, TEXT, {"tokenizer": Letters(first=40)}, "the model has 61 rows of embeddings: the tokenizer"),
        (model, ids(200), {"to": L}, "32 tokens are within the 32 that the model knows"),
        (model, ids(200), {"methods": ["yarm"]}, "did you mean 'yarn'"),
        (model, ids(200), {"lengths": [4, 64]}, "the shortest window must hold a quarter of the trained"),
        (without_numbers, ids(200), {}, r"layers.1.self_attn.q_proj.weight of the model holds numbers that"),
        (without_rotation, ids(200), {}, "GPT2LMHeadModel has no rotary_emb that could be replaced"),
        (lambda: model().model, ids(200), {}, "model is a LlamaModel, but it must be a language model"),
        (wide, ids(200), {}, "a window of 64 tokens of 64 x "),
    ],
)  # fmt: skip
def test_bad_input_gets_one_sentence(made: Any, text: Any, given: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(ClockhandsError, match=said) as refused:
        ch.extend.trial(made(), text, **{"to": 2 * L, "path": tmp_path / "new", **given})
    assert refused.value.text.zh
    assert not (tmp_path / "new").exists()


def test_a_model_that_was_learning_goes_on_learning() -> None:
    tiny = model().train()
    before = {name: each.clone() for name, each in tiny.state_dict().items()}
    found = ch.extend.trial(tiny, ids(200), to=2 * L, methods=["yarn", "rerope"])
    assert found.design.methods == (AS_GIVEN, "yarn", "rerope")
    assert tiny.training
    assert tiny.config._attn_implementation == "sdpa"
    assert not any(each._forward_hooks or each._forward_pre_hooks for each in tiny.modules())
    assert all(torch.equal(each, before[name]) for name, each in tiny.state_dict().items())


def test_memory_that_runs_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    original = run.read

    def full(*given: Any, **more: Any) -> Any:
        if len(given[1]) > L:
            raise RuntimeError("[enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: not enough memory")
        return original(*given, **more)

    monkeypatch.setattr(run, "read", full)
    with pytest.raises(ClockhandsError, match="a window of 64 tokens needs more memory than there is"):
        ch.extend.trial(model(), ids(200), to=2 * L)


def test_a_loss_that_is_no_number_is_said() -> None:
    tiny = model()
    tiny.lm_head.weight.data.mul_(1e38)
    with pytest.raises(ClockhandsError, match="the loss is no number"):
        ch.extend.trial(tiny, ids(200), to=2 * L)
