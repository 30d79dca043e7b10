"""Reading one's own numbers from .npy, .npz, .csv and .safetensors files; nothing in them is ever run."""

from __future__ import annotations

import csv
import errno
import lzma
import math
import os
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from clockhands.errors import ClockhandsError, MissingExtra, nearest, reason_of
from clockhands.language import Text
from clockhands.memory import require_memory

_BAD_HEADER = (
    ValueError, TypeError, LookupError, EOFError,
    SyntaxError, tokenize.TokenError, RecursionError, MemoryError,
)  # fmt: skip
"""What numpy raises at the header of a damaged ``.npy``, which it reads as a Python literal."""
_BAD_ARCHIVE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, LookupError, RuntimeError
)  # fmt: skip
"""The same of a ``.npz``. RuntimeError: it is encrypted, or packed in a way that isn't known here."""
_MOST_AXES = 64  # numpy's own limit
_COPIES = 3  # as it lies in the file, as float64, and the one that a description keeps


def read_array(path: str | os.PathLike[str], name: str | None = None) -> NDArray[np.float64]:
    """The numbers in a file as float64, any shape; finite and at least one.

    path  ends in .npy, .npz, .csv or .safetensors
    name  which array, where the file holds several; ``"file.npz#name"`` says the same in one string

    Raises ClockhandsError for a file that is missing, of another kind, damaged, too big for memory, or
    that holds no numbers, NaN or infinity, and MissingExtra where safetensors isn't installed. Pickled
    objects are never loaded.
    """
    file, name = _split(path, name)
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        kinds = ", ".join(_READERS)
        raise ClockhandsError(
            f"{file.name} ends in '{file.suffix}', but arrays are read from {kinds}: convert it",
            f"{file.name} 的后缀是“{file.suffix}”，而数组只能从 {kinds} 读取：请先转换格式",
        )
    if not file.is_file():
        raise ClockhandsError(f"there is no file {file}: check the path", f"找不到文件 {file}：请检查路径")
    try:
        return checked(reader(file, name), file.name)
    except OSError as error:
        raise ClockhandsError(
            f"{file} can't be read ({reason_of(error).en}): check its permissions",
            f"无法读取 {file}（{reason_of(error).zh}）：请检查权限",
        ) from error


def checked(values: Any, what: str) -> NDArray[np.float64]:
    """``values`` as float64: real, finite, at least one. ``what`` names them in the error."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ClockhandsError(
            f"{what} has rows of different lengths: give a rectangular array",
            f"{what} 各行长度不一：请给出矩形的数组",
        ) from error
    except (TypeError, RuntimeError) as error:  # a tensor on another device, in bfloat16, or with a gradient
        raise ClockhandsError(
            f"{what} can't become a numpy array ({error}): give plain numbers, for a tensor "
            ".detach().float().cpu()",
            f"{what} 无法变成 numpy 数组（{error}）：请给出普通的数，张量请先用 .detach().float().cpu()",
        ) from error
    _require_real_and_some(array.shape, array.dtype, what)
    with np.errstate(over="ignore", invalid="ignore"):  # what is past float64 becomes infinite, said below
        array = array.astype(np.float64)
    finite = np.isfinite(array)
    if not finite.all():
        place, count = _first(~finite), array.size - np.count_nonzero(finite)
        raise ClockhandsError(
            f"{what} has {array[place]} at index {list(place)}, but every number must be finite: "
            f"remove the {count:,} such number(s)",
            f"{what} 在下标 {list(place)} 处是 {array[place]}，而每个数都必须有限："
            f"请去掉这样的数（共 {count:,} 个）",
        )
    return array


def require_moderate(array: NDArray[np.float64], what: str, most: float) -> None:
    """Finite numbers whose squares overflow can't be measured or drawn: none may be larger than ``most``.

    >>> require_moderate(np.ones(3), "the table", 1e30)
    """
    huge = np.abs(array) > most
    if huge.any():
        place = _first(huge)
        raise ClockhandsError(
            f"{what} has {array[place]:g} at index {list(place)}, but no number may be larger than {most:g}: "
            "scale the numbers down",
            f"{what} 在下标 {list(place)} 处是 {array[place]:g}，而每个数的大小都不能超过 {most:g}："
            "请把这些数缩小",
        )


def _first(marked: NDArray[np.bool_]) -> tuple[int, ...]:
    """The index of the first one that is marked."""
    return tuple(int(index) for index in np.unravel_index(int(np.argmax(marked)), marked.shape))


def _split(path: str | os.PathLike[str], name: str | None) -> tuple[Path, str | None]:
    text = os.fspath(path)
    if name is None and "#" in text and not Path(text).exists():
        text, _, name = text.rpartition("#")
    return Path(text), name


def _npy(file: Path, name: str | None) -> NDArray[Any]:
    _refuse_name(file, name)
    with file.open("rb") as stream:
        return _read_npy(stream, file.stat().st_size, file.name)


def _npz(file: Path, name: str | None) -> NDArray[Any]:
    with _undamaged(file.name, ".npz", *_BAD_ARCHIVE), zipfile.ZipFile(file) as archive:
        members = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
        entry = members[_pick(file, name, _without_description(members))]
        require_memory(Text(f"the array in {file.name}", f"{file.name} 里的数组"), (entry.file_size,), 1)
        with archive.open(entry) as stream:
            return _read_npy(stream, entry.file_size, f"{file.name}#{entry.filename}")


def _read_npy(stream: IO[bytes], size: int, what: str) -> NDArray[Any]:
    """One .npy, believed only where its header promises no more than the ``size`` bytes that are there."""
    with _undamaged(what, ".npy", *_BAD_HEADER), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a header that Python 2 wrote is as good as any
        version = npy.read_magic(stream)
        read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, fortran_order, dtype = read_header(stream)
    if dtype.hasobject:
        raise ClockhandsError(
            f"{what} holds pickled Python objects, which could run code: save plain numbers",
            f"{what} 里是 pickle 存的 Python 对象，读取它可能会执行代码：请只存数",
        )
    if len(shape) > _MOST_AXES or not all(type(length) is int and length >= 0 for length in shape):
        raise _damaged(what, ".npy")
    _require_real_and_some(shape, dtype, what)
    promised = math.prod(shape) * dtype.itemsize
    if promised > size - stream.tell():
        raise ClockhandsError(
            f"{what} says it holds {promised:,} bytes of numbers, but only {size - stream.tell():,} are "
            "there: the file is damaged, save it again",
            f"{what} 声称有 {promised:,} 字节的数，实际只有 {size - stream.tell():,} 字节："
            "文件已损坏，请重新保存",
        )
    require_memory(Text(f"the array in {what}", f"{what} 里的数组"), shape, _COPIES * 8)
    content = stream.read(promised)
    if len(content) < promised:
        raise _damaged(what, ".npy")
    flat = np.frombuffer(content, dtype=dtype)
    return flat.reshape(shape, order="F" if fortran_order else "C")


def _require_real_and_some(shape: tuple[int, ...], dtype: np.dtype[Any], what: str) -> None:
    if dtype.kind not in "iuf":
        raise ClockhandsError(
            f"{what} holds values of type {dtype}, not real numbers: save it as floats",
            f"{what} 中的值是 {dtype} 类型，不是实数：请存成浮点数",
        )
    if 0 in shape:
        raise ClockhandsError(
            f"{what} is empty (shape {shape}): give at least one number",
            f"{what} 是空的（形状 {shape}）：至少要有一个数",
        )


def _csv(file: Path, name: str | None) -> NDArray[Any]:
    """Rows of numbers; a first row of column names, or a picture's data twin, is allowed. Two-dimensional."""
    _refuse_name(file, name)
    require_memory(Text(f"the text of {file.name}", f"{file.name} 的内容"), (file.stat().st_size,), 45)
    with _undamaged(file.name, ".csv", UnicodeDecodeError, csv.Error):
        lines = file.read_text(encoding="utf-8-sig").splitlines()
        rows = [(number, row) for number, row in enumerate(csv.reader(lines), 1) if any(map(str.strip, row))]
    if rows and rows[0][1][0].startswith(_ABOUT):
        rows = _inside_twin(file, rows)
    elif rows and not any(map(_is_number, rows[0][1])):
        rows = rows[1:]
    array = [[_number(file, number, cell) for cell in row] for number, row in rows]
    for (number, _), row in zip(rows, array, strict=True):
        if len(row) != len(array[0]):
            raise ClockhandsError(
                f"{file.name} has {len(row)} numbers in line {number} but {len(array[0])} in its first: "
                "make all lines equally long",
                f"{file.name} 第 {number} 行有 {len(row)} 个数，而首行有 {len(array[0])} 个：请让各行一样长",
            )
    return np.asarray(array, dtype=np.float64)


_ABOUT = "# {"
"""How the line begins that says what an array in a data twin is; column names and a row each follow."""


def _inside_twin(file: Path, rows: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    """The numbers of a data twin, without what it says about them: two lines above, one column beside."""
    arrays = sum(row[0].startswith(_ABOUT) for _, row in rows)
    if arrays > 1:
        raise ClockhandsError(
            f"{file.name} holds {arrays} arrays, but one is needed: save the data as .npz and choose one",
            f"{file.name} 里有 {arrays} 个数组，而这里只要一个：请把数据存成 .npz，再选一个",
        )
    return [(number, row[1:]) for number, row in rows[2:]]


def _safetensors(file: Path, name: str | None) -> NDArray[Any]:
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError as error:
        raise MissingExtra(Text("Reading .safetensors files", "读取 .safetensors 文件"), "torch") from error
    damage = (SafetensorError, ValueError, TypeError)
    with _undamaged(file.name, ".safetensors", *damage), safe_open(file, framework="np") as tensors:
        key = _pick(file, name, list(tensors.keys()))
        part = tensors.get_slice(key)
        require_memory(Text(f"the tensor {key}", f"张量 {key}"), part.get_shape(), _COPIES * 8)
        return _widened(part.get_dtype(), tensors, key)


def _widened(dtype: str, tensors: Any, key: str) -> NDArray[Any]:
    """A tensor as numpy holds it. numpy has no bfloat16, and says so by refusing it."""
    if dtype not in ("F16", "F32", "F64", "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64"):
        raise ClockhandsError(
            f"tensor {key} has the type {dtype}, which numpy doesn't know: save it as float32",
            f"张量 {key} 的类型是 {dtype}，numpy 不支持：请存成 float32",
        )
    return tensors.get_tensor(key)


_READERS: dict[str, Callable[[Path, str | None], NDArray[Any]]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".csv": _csv,
    ".safetensors": _safetensors,
}
READABLE = tuple(_READERS)
"""Endings of the files that are read."""


def _pick(file: Path, name: str | None, names: Sequence[str]) -> str:
    """The array asked for, or the only one there is."""
    if name in names:
        return str(name)
    if name is None and len(names) == 1:
        return names[0]
    if not names:
        raise ClockhandsError(f"{file.name} holds no arrays: save one", f"{file.name} 里没有数组：请存入一个")
    if name is None:
        listed = ", ".join(names[:8])
        raise ClockhandsError(
            f"{file.name} holds {len(names)} arrays ({listed}): choose one, as in {file.name}#{names[0]}",
            f"{file.name} 里有 {len(names)} 个数组（{listed}）：请选一个，例如 {file.name}#{names[0]}",
        )
    hint = nearest(name, names)
    raise ClockhandsError(
        f"{file.name} has no array '{name}': {hint.en}", f"{file.name} 里没有数组“{name}”：{hint.zh}"
    )


def _without_description(names: Iterable[str]) -> list[str]:
    """Leaves out what the data twin of a picture says *about* its array: the axes and the text ``about``."""
    names = list(names)
    return [n for n in names if n != "about" and n.rpartition(".axis")[0] not in names] or names


def _refuse_name(file: Path, name: str | None) -> None:
    if name is not None:
        raise ClockhandsError(
            f"{file.name} holds one array without a name, so '{name}' can't be chosen: leave the name out",
            f"{file.name} 只有一个没有名字的数组，不能选“{name}”：请去掉名字",
        )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _number(file: Path, line: int, cell: str) -> float:
    if _is_number(cell):
        return float(cell)
    raise ClockhandsError(
        f"{file.name} has {cell.strip()[:40]!r} in line {line}, which isn't a number: correct it",
        f"{file.name} 第 {line} 行的 {cell.strip()[:40]!r} 不是数：请改正",
    )


@contextmanager
def _undamaged(what: str, kind: str, *signs: type[Exception]) -> Iterator[None]:
    """Around a parser: what it raises at damaged bytes becomes the one sentence that says so."""
    try:
        yield
    except ClockhandsError:
        raise
    except signs as error:
        raise _damaged(what, kind) from error
    except OSError as error:
        if error.errno in (None, errno.EINVAL):  # bz2 at bad data, and a seek to a place before the start
            raise _damaged(what, kind) from error
        raise


def _damaged(what: str, kind: str) -> ClockhandsError:
    return ClockhandsError(
        f"{what} isn't a readable {kind} file: it is damaged or of another kind, save it again",
        f"{what} 不是可读的 {kind} 文件：文件已损坏或格式不对，请重新保存",
    )
