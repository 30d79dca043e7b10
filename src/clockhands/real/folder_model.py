"""A folder of transformers as a model: read from disk, never with code of its own."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from clockhands.check.read.safetensors_folder import weights_in
from clockhands.errors import ClockhandsError, shown
from clockhands.language import Text

WORDS = (
    "tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt", "spiece.model", "merges.txt",
    "sentencepiece.bpe.model", "tekken.json",
)  # fmt: skip
"""Files that a tokenizer is made of: one of them is there."""

OF_HEADS = re.compile(
    r"(^|\.)(pooler|cls|classifier|score|lm_head|qa_outputs|predictions|seq_relationship)\."
)
"""Parameters behind the last layer, which no attention reads."""


OWN_CODE = "trust_remote_code"
"""What transformers asks for where a folder wants to run code of its own."""


@dataclass(frozen=True)
class FolderModel:
    """A model that can be loaded: where it lies, its class and how many parameters it has.

    here  whether its files are on this machine, so that no network is asked
    """

    place: str
    here: bool
    config: Any
    kind: type[Any]
    numbers: int

    def load(self, dtype: torch.dtype) -> tuple[PreTrainedModel, tuple[Text, ...]]:
        """The model on the CPU, and what is to be said of it.

        Raises ClockhandsError where weights are missing or damaged.
        """
        with _quietly():
            try:
                model, told = self.kind.from_pretrained(
                    self.place, config=self.config, dtype=dtype, trust_remote_code=False,
                    local_files_only=self.here, output_loading_info=True,
                )  # fmt: skip
            except Exception as error:  # whatever transformers and safetensors say of files
                raise _cannot(self.place, error) from error
        missing = sorted(told["missing_keys"])
        needed = [name for name in missing if not OF_HEADS.search(f".{name}")]
        if needed:
            raise ClockhandsError(
                f"the weights in {self.place} lack {len(needed)} parameters of a {self.kind.__name__} "
                f"({needed[0]} among them), which would start random: give the folder with all of them",
                f"{self.place} 的权重缺少 {self.kind.__name__} 的 {len(needed)} 个参数（例如 {needed[0]}），"
                "它们会是随机值：请给出完整的文件夹",
            )
        if not missing:
            return model, ()
        return model, (
            Text(
                f"{len(missing)} parameters behind the last layer are not there; no attention reads them.",
                f"文件夹里缺少最后一层之后的 {len(missing)} 个参数；注意力用不到它们。",
            ),
        )


def read_folder_model(place: str, *, hub: bool = False) -> FolderModel:
    """What the folder would be as a model; no weights are read yet.

    Raises ClockhandsError where there is no configuration, no class for it, or no weights.
    """
    if not hub and not (Path(place) / "config.json").is_file():
        raise ClockhandsError(
            f"{place} holds no config.json: give the folder of a model of transformers",
            f"{place} 里没有 config.json：请给出 transformers 模型的文件夹",
        )
    if hub:
        _require_hub(place)
    with _quietly():
        try:
            config = AutoConfig.from_pretrained(place, trust_remote_code=False, local_files_only=not hub)
        except Exception as error:  # whatever transformers says of configurations
            raise _cannot(place, error) from error
    kind = _class_of(place, config)
    return FolderModel(place, not hub, config, kind, _numbers(place, hub, config, kind))


def tokenizer_in(place: str) -> PreTrainedTokenizerBase | None:
    """The tokenizer of a folder or of a hub's model; None where a folder has none.

    Raises ClockhandsError where it is damaged or needs code or packages that aren't there.
    """
    here = os.path.isdir(place)
    if here and not any((Path(place) / name).exists() for name in WORDS):
        return None
    with _quietly():
        try:
            found = AutoTokenizer.from_pretrained(place, trust_remote_code=False, local_files_only=here)
        except Exception as error:  # whatever transformers and tokenizers say of files
            if OWN_CODE in str(error):
                raise _own_words(place) from error
            raise ClockhandsError(
                f"the tokenizer in {place} can't be read ({_said(error)}): give another with "
                "--tokenizer-from",
                f"无法读取 {place} 中的分词器（{_said(error)}）：请用 --tokenizer-from 给出另一个",
            ) from error
    if len(found) <= len(found.all_special_ids):
        raise ClockhandsError(
            f"the tokenizer in {place} knows no words but special ones: its files are not what its kind "
            "reads, or it makes words by code of its own, which is not run here: give another with "
            "--tokenizer-from",
            f"{place} 中的分词器除特殊词元外没有任何词：它的文件与类型不符，或它靠自带的代码造词，"
            "而这里不运行别人的代码：请用 --tokenizer-from 给出另一个",
        )
    return found


def _own_words(place: str) -> ClockhandsError:
    return ClockhandsError(
        f"the tokenizer in {place} makes its words by code of its own, and no code of others is run here: "
        "give another with --tokenizer-from",
        f"{place} 中的分词器由自带的代码切词，而这里不运行别人的代码：请用 --tokenizer-from 给出另一个",
    )


def _class_of(place: str, config: Any) -> type[Any]:
    """The class that the configuration names, else what the library has for its type."""
    import transformers

    named = getattr(config, "architectures", None) or ()
    for name in named:
        kind = getattr(transformers, str(name), None)
        if isinstance(kind, type) and issubclass(kind, PreTrainedModel):
            return kind
    for auto in (transformers.AutoModelForCausalLM, transformers.AutoModel):
        mapping = auto._model_mapping  # type: ignore[attr-defined]
        if type(config) in mapping:
            found = mapping[type(config)]
            return found[0] if isinstance(found, tuple) else found  # type: ignore[return-value]
    raise ClockhandsError(
        f"{place} names the classes {shown(list(named))}, and this transformers has none of them",
        f"{place} 写的类是 {shown(list(named))}，而这个 transformers 里没有",
    )


def _numbers(place: str, hub: bool, config: Any, kind: type[Any]) -> int:
    """Parameters: those of the files where they are safetensors, else those that the class would make."""
    stored = {} if hub else weights_in(place).tensors
    if stored:
        return sum(math.prod(each.shape) for each in stored.values())
    if not hub and not any(Path(place).glob("*.bin")):
        raise ClockhandsError(
            f"{place} holds no weights (model.safetensors or its shards): give the folder with them",
            f"{place} 里没有权重（model.safetensors 或其分片）：请给出含权重的文件夹",
        )
    try:
        with _quietly(), torch.device("meta"):
            return sum(each.numel() for each in kind(config).parameters())
    except Exception as error:  # whatever a class says of sizes that don't fit each other
        raise _cannot(place, error) from error


def _cannot(place: str, error: Exception) -> ClockhandsError:
    said = _said(error)
    if "weights only load failed" in str(error).lower():
        return ClockhandsError(
            f"the weights in {place} are a pickle that holds more than numbers, and reading it would run "
            "what its author put in: convert it to safetensors where you trust it",
            f"{place} 的权重是 pickle，其中不只有数字，读取它会运行作者放进去的代码：请在可信的环境中转换为 "
            "safetensors",
        )
    unknown = re.search(r"model type `([^`]*)` but Transformers does not recognize", str(error))
    if unknown is not None:
        return ClockhandsError(
            f"{place} is of the model type {shown(unknown[1])}, which this transformers doesn't know: a "
            "later one may; clockhands check tells what its configuration says",
            f"{place} 的模型类型是 {shown(unknown[1])}，这个 transformers 不认识：较新的版本也许认识；"
            "clockhands check 会说明它的配置写了什么",
        )
    if OWN_CODE in str(error):
        return ClockhandsError(
            f"{place} needs code of its own, and no code of others is run here: convert it to a class of "
            "transformers",
            f"{place} 需要运行它自带的代码，而这里不运行别人的代码：请转换为 transformers 自带的类",
        )
    return ClockhandsError(
        f"{place} can't be loaded as a model of transformers ({said})",
        f"无法把 {place} 作为 transformers 模型载入（{said}）",
    )


def _require_hub(place: str) -> None:
    """Raises ClockhandsError where the hub can't be asked, or knows no such model: asked once, briefly."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import GatedRepoError, HFValidationError, RepositoryNotFoundError

    try:
        HfApi().model_info(place, timeout=10)
    except (RepositoryNotFoundError, GatedRepoError, HFValidationError) as error:
        raise ClockhandsError(
            f"{shown(place)} is no folder here, and the hub has no such model that is open to you: check the "
            "name, or give a folder",
            f"{shown(place)} 不是本机的文件夹，模型库中也没有对你开放的这个模型：请检查名称，或给出文件夹",
        ) from error
    except Exception as error:  # no network, in the many ways in which it can be missing
        raise ClockhandsError(
            f"{shown(place)} is no folder here, and the hub can't be reached (no network): give the folder "
            "of a model that is on this machine",
            f"{shown(place)} 不是本机的文件夹，也连不上模型库（没有网络）：请给出本机上的模型文件夹",
        ) from error


def _said(error: Exception) -> str:
    words = " ".join(str(error).split()) or type(error).__name__
    return words if len(words) <= 160 else f"{words[:157]}..."


@contextmanager
def _quietly() -> Generator[None]:
    """Without the library's own warnings and bars, which are put back as they were."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
