"""Errors a person can act on: one sentence with what, which value, which rule, what to do."""

from __future__ import annotations

import difflib
import errno
import re
from collections.abc import Iterable, Mapping, Sequence

from clockhands.language import Text


class ClockhandsError(ValueError):
    """Bad input. ``str()`` is the English sentence; ``.text`` holds both languages.

    >>> try:
    ...     raise ClockhandsError("dim is 0: use 2 or more", "dim 为 0：请用 2 或更大的数")
    ... except ClockhandsError as error:
    ...     error.text.zh
    'dim 为 0：请用 2 或更大的数'
    """

    def __init__(self, en: str, zh: str):
        super().__init__(en, zh)
        self.text = Text(en, zh)

    def __str__(self) -> str:
        return self.text.en

    def with_names(self, names: Mapping[str, str]) -> ClockhandsError:
        """The same sentences where each key of ``names`` is called by its value, as the reader gave it."""
        return ClockhandsError(*(_renamed(said, names) for said in self.text))


class BadParameter(ClockhandsError):
    """A parameter that breaks a rule: sentences that begin with its name, as the reader gave it.

    >>> str(BadParameter("head_dim", " is 0: use 2 or more", " 为 0：请用 2 或更大的数").called("--dim"))
    '--dim is 0: use 2 or more'
    """

    def __init__(self, name: str, en: str, zh: str):
        super().__init__(f"{name}{en}", f"{name}{zh}")
        self.name, self.says = name, Text(en, zh)

    def called(self, name: str) -> BadParameter:
        """The same of a parameter that the reader knows as ``name``."""
        return BadParameter(name, self.says.en, self.says.zh)

    def with_names(self, names: Mapping[str, str]) -> BadParameter:
        says = (_renamed(said, names) for said in self.says)
        return BadParameter(names.get(self.name, self.name), *says)

    def __reduce__(self):  # BaseException pickles with args, which are the two sentences here
        return (BadParameter, (self.name, *self.says))


class MissingExtra(ClockhandsError):
    """A feature needs packages that only an extra brings."""

    def __init__(self, feature: Text, extra: str):
        command = f'pip install "clockhands[{extra}]"'
        super().__init__(
            f"{feature.en} needs the extra '{extra}', which is not installed: run {command}",
            f"{feature.zh}需要扩展包“{extra}”，目前没有安装：请运行 {command}",
        )
        self.feature, self.extra = feature, extra

    def with_names(self, names: Mapping[str, str]) -> MissingExtra:
        return self  # it speaks of a package, not of parameters

    def __reduce__(self):  # BaseException pickles with args, which are the two sentences here
        return (MissingExtra, (self.feature, self.extra))


def _renamed(said: str, names: Mapping[str, str]) -> str:
    """Whole names only, and all at once; letters of Han beside a name end it too."""
    changed = {name: called for name, called in names.items() if name != called}
    if not changed:
        return said
    pattern = rf"(?<![A-Za-z0-9_])({'|'.join(map(re.escape, changed))})(?![A-Za-z0-9_])"
    return re.sub(pattern, lambda found: changed[found[0]], said)


def nearest(name: str, known: Iterable[str]) -> Text:
    """A suggestion for a misspelt name: the one that it nearly is, else all that are known.

    >>> nearest("rotary", ["rotary_dim", "layout"]).en, nearest("yarn", ["learned", "rope"]).en
    ("did you mean 'rotary_dim'?", 'known: learned, rope')
    """
    known = list(known)
    likely = meant(name, known)
    if likely is not None:
        return Text(f"did you mean '{likely}'?", f"是不是想写“{likely}”？")
    return Text(f"known: {', '.join(known)}", f"可选：{'、'.join(known)}")


def meant(name: str, known: Sequence[str]) -> str | None:
    """The known name that a misspelt one nearly is, None where no name is near.

    Near is a name that shares seven letters in ten, or one of whose words begins with ``name``; a wrong
    suggestion misleads more than none does. Dashes and dots in front don't count as letters.
    """
    bare = _bare(name)
    likeness = {each: difflib.SequenceMatcher(None, _bare(each), bare).ratio() for each in known}
    near = [each for each in known if likeness[each] >= _NEAR or _is_cut_short(bare, each)]
    return max(near, key=lambda each: likeness[each], default=None)


_NEAR = 0.7
_FEWEST_LETTERS = 3  # that say which word is meant


def _bare(name: str) -> str:
    return name.lstrip("-.").lower()


def _is_cut_short(bare: str, known: str) -> bool:
    words = re.split("[-_]", _bare(known))
    return len(bare) >= _FEWEST_LETTERS and any(part.startswith(bare) for part in (_bare(known), *words))


def said_by(error: BaseException, most: int = 200) -> str:
    """What an error of anybody's code says, on one line: its kind, and its words where it has any.

    >>> said_by(KeyError("a\\nb")), said_by(ValueError())
    ("KeyError: 'a\\\\nb'", 'ValueError')
    """
    try:
        words = " ".join(str(error).encode("utf-8", "replace").decode().split())[:most]
    except Exception:  # noqa: BLE001  its own words may fail, too
        words = ""
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def shown(value: object, most: int = 60) -> str:
    """What was given, as Python writes it, on one line and cut where it is long.

    >>> shown("half"), shown([0.5] * 99, 12)
    ("'half'", '[0.5, 0.5...')
    """
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # an integer of so many digits that Python won't write it
        text = f"a very large {type(value).__name__}"
    except Exception:  # noqa: BLE001  anybody's class may not know how to show itself
        text = f"some {type(value).__name__}"
    return text if len(text) <= most else f"{text[: most - 3]}..."


def shown_zh(value: object, most: int = 60) -> str:
    """The same for a Chinese sentence: text stands in its quotation marks, anything else behind a space.

    Write it right behind a Chinese character, ``f"{name} 为{shown_zh(value)}：…"``.

    >>> shown_zh("half"), shown_zh(24)
    ('“half”', ' 24')
    """
    text = shown(value, most)
    if not isinstance(value, str):
        return f" {text}"
    return f"“{text[1:-1]}”" if text[-1] == text[0] else f"“{text[1:]}”"


def reason_of(error: OSError) -> Text:
    """Why the system refused a file, in a few words; rare reasons keep the system's own words.

    >>> reason_of(FileNotFoundError(errno.ENOENT, "whatever the system says"))
    Text(en='no such file or folder', zh='文件或文件夹不存在')
    """
    words = error.strerror or str(error)
    return _REASONS.get(error.errno or 0, Text(words, words))


_REASONS = {
    errno.EACCES: Text("permission denied", "没有权限"),
    errno.EPERM: Text("permission denied", "没有权限"),
    errno.EROFS: Text("the disk is read-only", "磁盘是只读的"),
    errno.ENOENT: Text("no such file or folder", "文件或文件夹不存在"),
    errno.EISDIR: Text("it is a folder, and a file is needed", "这是文件夹，而这里需要文件"),
    errno.ENOTDIR: Text("part of the path is a file, not a folder", "路径中有一段是文件，不是文件夹"),
    errno.EEXIST: Text("it exists already", "它已经存在"),
    errno.ENOSPC: Text("the disk is full", "磁盘已满"),
    errno.EDQUOT: Text("the disk quota is used up", "磁盘配额已用完"),
    errno.ENAMETOOLONG: Text("the name is too long", "名字太长"),
}
