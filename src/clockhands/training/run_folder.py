"""The folder of a run: what it was asked, what it read, how far it came."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from clockhands.errors import ClockhandsError
from clockhands.text import Vocabulary
from clockhands.training.checkpoint import state_files
from clockhands.training.corpus import Corpus
from clockhands.training.described import known
from clockhands.training.kept import (
    CORPUS,
    corpus_as_tensors,
    corpus_from_tensors,
    sentences_as_json,
    sentences_from_json,
)
from clockhands.training.settings import AttendSettings
from clockhands.writing import clear_asides, make_folder, written_aside

FORMAT, VERSION = "clockhands-run", 1

_UNREADABLE = (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError)
"""What reading a file that something else has written may end in; RecursionError: JSON nested too deep."""


class RunFolder:
    """Names and formats of the files of a run.

    ``config.json`` claims the folder at the start, and holds the settings once all else is there;
    ``vocabulary.json``; ``corpus.safetensors`` numbered tokens; ``sentences.json`` what is drawn;
    ``state-*.safetensors`` while training; at the end ``weights.safetensors`` and ``metrics.jsonl``.
    """

    def __init__(self, path: Path):
        self.path = path
        self.config, self.vocabulary = path / "config.json", path / "vocabulary.json"
        self.corpus, self.sentences = path / "corpus.safetensors", path / "sentences.json"
        self.weights, self.metrics = path / "weights.safetensors", path / "metrics.jsonl"

    @property
    def exists(self) -> bool:
        """Whether a run was begun here."""
        return self.config.exists()

    @property
    def has_progress(self) -> bool:
        """Whether something was trained here that is worth keeping."""
        return self.exists and any(path.exists() for path in (self.weights, *state_files(self.path)))

    def require_unused(self) -> None:
        """ClockhandsError where writing a run would replace a file that no run of this program left here."""
        there = [path for path in self._files() if os.path.lexists(path)]
        if there and not self._is_claimed():
            raise ClockhandsError(
                f"{there[0]} is there already and belongs to no run: give another folder",
                f"{there[0]} 已经存在，而且不属于任何训练：请换一个目录",
            )

    def sweep(self) -> None:
        """Remove what interrupted writes left behind. For whoever is alone in the folder."""
        for path in self._files():
            clear_asides(path)

    def _files(self) -> tuple[Path, ...]:
        about = (self.config, self.vocabulary, self.corpus, self.sentences)
        return (*about, self.weights, self.metrics, *state_files(self.path))

    def make(self) -> None:
        """Make the folder, if it is missing. ClockhandsError if the place can't be written."""
        make_folder(self.path)

    def fill(self, settings: AttendSettings, corpus: Corpus) -> None:
        """Begin a run in the folder. ClockhandsError if it can't be written, or another was quicker."""
        if self.has_progress:
            raise ClockhandsError(
                f"another training was begun in {self.path} at the same time: give another folder, "
                "or ask for the same again",
                f"{self.path} 里同时开始了另一个训练：请换一个目录，或重新运行同样的命令",
            )
        self.require_unused()
        about = {"format": FORMAT, "version": VERSION}
        _write_json(self.config, about)  # if it ends before the last line, nothing here passes for a run
        corpus.vocabulary.save(self.vocabulary)
        _write_json(self.sentences, sentences_as_json(corpus.sentences))
        with written_aside(self.corpus) as aside:
            aside.write_bytes(save(corpus_as_tensors(corpus)))
        about["texts_sha256"] = fingerprint(settings.texts)
        _write_json(self.config, about | {"settings": settings.to_json()})

    def settings(self) -> AttendSettings:
        """What the run was asked, but its texts. ClockhandsError if that can't be read."""
        about = self._about()
        if "settings" not in about:
            raise ClockhandsError(
                f"the run in {self.path} was stopped before it began: ask for it again without --resume",
                f"{self.path} 里的训练还没开始就停下了：请不带 --resume 重新运行",
            )
        _require_known(about)
        try:
            return AttendSettings.from_json(about["settings"])
        except _UNREADABLE as error:
            raise damaged(self.config) from error

    def was_asked(self, settings: AttendSettings) -> bool:
        """Whether these are the settings and texts of the run, whose scheme need not be in the catalogue."""
        asked = json.loads(json.dumps(settings.to_json()))
        same_texts = fingerprint(settings.texts) == self.texts_fingerprint()
        return same_texts and self._about().get("settings") == asked

    def texts_fingerprint(self) -> str:
        """Of the texts that the run was given."""
        return str(self._about().get("texts_sha256"))

    def read_vocabulary(self) -> Vocabulary:
        """The words that the run knows."""
        return Vocabulary.load(self.vocabulary)

    def read_corpus(self, settings: AttendSettings) -> Corpus:
        """All that the run with these settings reads. ClockhandsError if a file is missing or damaged."""
        kinds = len(settings.description().kinds)
        vocabulary = self.read_vocabulary()
        try:
            drawn = sentences_from_json(json.loads(self.sentences.read_text(encoding="ascii")))
        except _UNREADABLE as error:
            raise damaged(self.sentences) from error
        try:
            with safe_open(str(self.corpus), framework="pt") as opened:
                tensors = {name: opened.get_tensor(name) for name in CORPUS}
            train, held_out = corpus_from_tensors(tensors, len(vocabulary), kinds)
        except (*_UNREADABLE, SafetensorError) as error:
            raise damaged(self.corpus) from error
        return Corpus(vocabulary, train, held_out, drawn)

    def _is_claimed(self) -> bool:
        """Whether a run of this program, of whatever version, wrote ``config.json``."""
        try:
            about = json.loads(self.config.read_text(encoding="ascii"))
        except _UNREADABLE:
            return False
        return isinstance(about, dict) and about.get("format") == FORMAT

    def _about(self) -> dict[str, Any]:
        if not self.path.is_dir() or not self.exists:
            raise ClockhandsError(
                f"{self.path} holds no run (no {self.config.name}): give the folder that a training wrote",
                f"{self.path} 里没有训练记录（缺 {self.config.name}）：请给出训练时写出的目录",
            )
        try:
            about = json.loads(self.config.read_text(encoding="ascii"))
        except _UNREADABLE as error:
            raise damaged(self.config) from error
        if not isinstance(about, dict) or about.get("format") != FORMAT:
            raise damaged(self.config)
        if about.get("version") != VERSION:
            found = about.get("version")
            raise ClockhandsError(
                f"the run in {self.path} has version {found}, and this program reads {VERSION}: "
                "train again, or use the program that wrote it",
                f"{self.path} 里的训练记录是版本 {found}，本程序只能读版本 {VERSION}："
                "请重新训练，或用写出它的程序",
            )
        return about


def _require_known(about: dict[str, Any]) -> None:
    """ClockhandsError for a scheme that only the program that wrote the run knows."""
    match about.get("settings"):
        case {"scheme": {"id": str(id)}} if not known(id):
            raise ClockhandsError(
                f"the scheme of this run, '{id}', is not in the catalogue: "
                "ask run_attend for the same settings with its description",
                f"这次训练的方案“{id}”不在目录中：请用它的描述和同样的设置调用 run_attend",
            )


def fingerprint(texts: Sequence[str]) -> str:
    """Tells whether texts are the same without keeping them."""
    content = json.dumps(list(texts))  # ASCII, so lone surrogates do no harm
    return hashlib.sha256(content.encode("ascii")).hexdigest()


def damaged(path: Path) -> ClockhandsError:
    """The sentence for a file of a run that is missing or can't be read."""
    return ClockhandsError(
        f"{path} is missing or damaged: train again in a new folder",
        f"{path} 缺失或已损坏：请在新的目录重新训练",
    )


def _write_json(path: Path, content: Any) -> None:
    with written_aside(path) as aside:
        aside.write_text(json.dumps(content, indent=1), encoding="ascii")
