"""A GGUF file as a model of transformers: its weights expanded, rows of q and k in the order that it expects.

llama.cpp's converter stores the rows of q and k of Llama so that the two dimensions of a hand stand side by
side; transformers turns dimension ``i`` together with ``i + hd/2``. Rows are put back, so that both compute
the same scores. Source: ``permute`` of ``convert_hf_to_gguf.py`` in llama.cpp, whose inverse this is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import PreTrainedModel

from clockhands.check.form import LayerForm
from clockhands.check.read.gguf import read_gguf
from clockhands.check.read.gguf_header import Header, TensorEntry, read_header
from clockhands.check.read.gguf_tensors import can_expand, some_rows, vector
from clockhands.errors import ClockhandsError, shown

BLOCK_ROWS = 4096
"""Rows expanded at a time, so that the largest table needs no second copy of itself."""

_TOP = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}
_IN_LAYER = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_OF_POSITIONS = ("rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight")
READ = ("llama", "qwen2", "qwen3")
"""Architectures whose files are read: Llama (Mistral and SmolLM2 too), and Qwen 2, 2.5 and 3."""


@dataclass(frozen=True)
class GGUFModel:
    """A file that can be loaded: its configuration, and where each parameter comes from.

    parameters  name in transformers -> tensor of the file
    numbers     how many the model has
    """

    path: Path
    header: Header
    config: Any
    form: LayerForm
    parameters: dict[str, tuple[str, TensorEntry]]

    @property
    def numbers(self) -> int:
        return sum(int(np.prod(entry.shape)) for _, entry in self.parameters.values())

    def load(self, dtype: torch.dtype) -> PreTrainedModel:
        """The model, on the CPU. Raises ClockhandsError where weights are no numbers or not all are there."""
        from transformers import AutoModelForCausalLM

        with torch.device("meta"):
            model = AutoModelForCausalLM.from_config(self.config, dtype=dtype)
        wanted = {name: each.shape for name, each in model.state_dict().items()}
        if self.config.tie_word_embeddings:
            wanted.pop("lm_head.weight", None)
        missing, odd = sorted(set(wanted) - set(self.parameters)), sorted(set(self.parameters) - set(wanted))
        if missing or odd:
            name = missing[0] if missing else self.parameters[odd[0]][0]
            raise _bad(
                self.path,
                f"it has no tensor for {name}" if missing else f"its tensor {shown(name)} has no place",
                f"它没有 {name} 对应的张量" if missing else f"它的张量 {shown(name)} 无处可放",
            )
        state = dict(self._tensors(wanted, dtype))
        model.load_state_dict(state, strict=False, assign=True)
        rotary = type(model.model.rotary_emb)(self.config)
        _turn_as(rotary, self.form)
        model.model.rotary_emb = rotary
        model.tie_weights()
        return model

    def _tensors(self, wanted: dict[str, torch.Size], dtype: torch.dtype) -> Iterator[tuple[str, Tensor]]:
        heads, groups = self.config.num_attention_heads, self.config.num_key_value_heads
        for name, (stored, entry) in self.parameters.items():
            if tuple(wanted[name]) != entry.shape:
                raise _bad(
                    self.path,
                    f"its tensor {shown(stored)} has shape {entry.shape}, and its settings make it "
                    f"{tuple(wanted[name])}",
                    f"它的张量 {shown(stored)} 形状为 {entry.shape}，而按它的设置应为 {tuple(wanted[name])}",
                )
            values = _expanded(self.path, self.header, stored, entry, dtype)
            if not bool(torch.isfinite(values).all()):
                raise ClockhandsError(
                    f"{stored} of {self.path} holds numbers that are not finite: fetch the file again, or "
                    "convert the model anew",
                    f"{self.path} 的 {stored} 中有非有限的数：请重新下载，或重新转换模型",
                )
            if self.form.layout == "interleaved" and ".q_proj." in name:
                values = side_by_side_to_halves(values, heads)
            elif self.form.layout == "interleaved" and ".k_proj." in name:
                values = side_by_side_to_halves(values, groups)
            yield name, values


def read_gguf_model(path: str | Path) -> GGUFModel:
    """What the file at ``path`` would be as a model; no weights are read yet.

    Raises ClockhandsError where it is no sound file, of an architecture that isn't read here, or without
    what makes a model.
    """
    path = Path(path)
    header, subject = read_header(path), read_gguf(path, rows=False)
    arch = header.values["general.architecture"]
    if arch not in READ:
        raise ClockhandsError(
            f"{path} holds a model of the architecture {shown(arch)}, and weights are read of "
            f"{', '.join(READ)}: give the folder of transformers that it was converted from",
            f"{path} 的架构是 {shown(arch)}，而这里只读取 {'、'.join(READ)} 的权重："
            "请给出转换前的 transformers 文件夹",
        )
    wrong = next((each for each in subject.found if each.severity == "error"), None)
    if wrong is not None:
        raise _bad(path, wrong.what.en, wrong.what.zh)
    parameters = _parameters(path, header)
    turning = [form for form in subject.layers if form.family == "rope" and form.inv_freq is not None]
    if len(turning) != 1 or len(subject.layers) != 1 or turning[0].rotary_dims != "whole":
        raise _bad(
            path,
            "its layers don't all turn whole heads alike, which is what is read here",
            "它的各层并非都以同样方式旋转整个头，而这里只读取这样的模型",
        )
    return GGUFModel(path, header, _config(path, header, parameters, turning[0]), turning[0], parameters)


def side_by_side_to_halves(rows: Tensor, heads: int) -> Tensor:
    """Rows ``(heads · hd, …)`` with a hand's two dimensions side by side -> ``i`` and ``i + hd/2``.

    >>> side_by_side_to_halves(torch.arange(4), 1).tolist()
    [0, 2, 1, 3]
    """
    return rows.unflatten(0, (heads, -1, 2)).transpose(1, 2).reshape(rows.shape)


def _parameters(path: Path, header: Header) -> dict[str, tuple[str, TensorEntry]]:
    found: dict[str, tuple[str, TensorEntry]] = {}
    for stored, entry in header.tensors.items():
        if stored in _OF_POSITIONS:
            continue
        name = _name(stored)
        if name is None:
            raise _bad(
                path,
                f"its tensor {shown(stored)} is of no dense Llama or Qwen",
                f"它的张量 {shown(stored)} 不属于稠密的 Llama 或 Qwen",
            )
        if not can_expand(entry.kind, header.byte_order) or entry.size is None:
            raise _bad(
                path,
                f"its tensor {shown(stored)} is of type {entry.type_name or entry.kind}, "
                "which can't be expanded",
                f"它的张量 {shown(stored)} 类型为 {entry.type_name or entry.kind}，无法展开",
            )
        found[name] = (stored, entry)
    return found


def _name(stored: str) -> str | None:
    if stored in _TOP:
        return _TOP[stored]
    place = re.fullmatch(r"blk\.(\d+)\.([a-z_]+)\.(weight|bias)", stored)
    if place is None or place[2] not in _IN_LAYER:
        return None
    return f"model.layers.{place[1]}.{_IN_LAYER[place[2]]}.{place[3]}"


def _config(path: Path, header: Header, parameters: dict[str, Any], form: LayerForm) -> Any:
    from transformers import LlamaConfig, Qwen2Config, Qwen3Config

    values, arch = header.values, str(header.values["general.architecture"])

    def need(name: str) -> Any:
        value = values.get(f"{arch}.{name}")
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
            raise _bad(
                path,
                f"{arch}.{name} is {shown(value)}, and a model needs a number above 0 there",
                f"{arch}.{name} 为 {shown(value)}，而模型需要大于 0 的数",
            )
        return value

    words = parameters.get("model.embed_tokens.weight")
    if words is None:
        raise _bad(path, "it has no tensor token_embd.weight", "它没有张量 token_embd.weight")
    heads = need("attention.head_count")
    sizes: dict[str, Any] = {
        "vocab_size": words[1].shape[0],
        "hidden_size": need("embedding_length"),
        "intermediate_size": need("feed_forward_length"),
        "num_hidden_layers": need("block_count"),
        "num_attention_heads": heads,
        "num_key_value_heads": values.get(f"{arch}.attention.head_count_kv", heads),
        "head_dim": form.head_dim,
        "max_position_embeddings": need("context_length"),
        "rms_norm_eps": need("attention.layer_norm_rms_epsilon"),
        "tie_word_embeddings": "lm_head.weight" not in parameters,
        "rope_parameters": _rope_parameters(form),
        "bos_token_id": values.get("tokenizer.ggml.bos_token_id"),
        "eos_token_id": values.get("tokenizer.ggml.eos_token_id"),
        "attn_implementation": "sdpa",
    }
    if not isinstance(sizes["num_key_value_heads"], int) or heads % sizes["num_key_value_heads"]:
        raise _bad(
            path,
            f"{arch}.attention.head_count_kv is {shown(sizes['num_key_value_heads'])}, and one number must "
            f"divide {heads} heads",
            f"{arch}.attention.head_count_kv 为 {shown(sizes['num_key_value_heads'])}，"
            f"而它应是能整除 {heads} 个头的一个数",
        )
    biased = "model.layers.0.self_attn.q_proj.bias" in parameters
    if arch == "qwen2":
        sizes.pop("head_dim")
        return Qwen2Config(**sizes)
    return {"llama": LlamaConfig, "qwen3": Qwen3Config}[arch](attention_bias=biased, **sizes)


def _rope_parameters(form: LayerForm) -> dict[str, Any]:
    """As transformers writes them; what they can't say is put into the rotation itself, by ``_turn_as``."""
    plain = {"rope_type": "default", "rope_theta": form.rope_theta}
    if form.rope_type == "linear" and "factor" in form.scaling:
        return {**plain, "rope_type": "linear", "factor": form.scaling["factor"]}
    return plain


def _turn_as(rotary: Any, form: LayerForm) -> None:
    """Hands as the file has them, with divisors and scalings that its settings can't say."""
    assert form.inv_freq is not None
    rotary.inv_freq = torch.tensor(form.inv_freq, dtype=torch.float32)
    if hasattr(rotary, "original_inv_freq"):
        rotary.original_inv_freq = rotary.inv_freq.clone()
    rotary.attention_scaling = 1.0 if form.attention_factor is None else form.attention_factor


def _expanded(path: Path, header: Header, stored: str, entry: TensorEntry, dtype: torch.dtype) -> Tensor:
    if len(entry.shape) == 1:
        values = vector(path, header, stored, most=2**22)
        if values is None:
            raise _bad(path, f"its tensor {shown(stored)} is quantised, and vectors never are",
                       f"它的张量 {shown(stored)} 是量化的，而向量从不量化")  # fmt: skip
        return torch.from_numpy(values).to(dtype)
    whole = torch.empty(entry.shape, dtype=dtype)
    for first in range(0, entry.shape[0], BLOCK_ROWS):
        count = min(BLOCK_ROWS, entry.shape[0] - first)
        whole[first : first + count] = torch.from_numpy(some_rows(path, header, entry, first, count).copy())
    return whole


def _bad(path: Path, en: str, zh: str) -> ClockhandsError:
    return ClockhandsError(f"{path} can't be loaded as a model: {en}", f"无法把 {path} 载入为模型：{zh}")
