"""Turning several pairs at once, written as vector instructions that LLVM fits to the processor at hand.

A loop over single numbers would be left to the compiler, which makes vectors of it only after proving, for
each row, that input and output don't overlap; in place they always do. Here all is read before anything is
written, so in place and out of place are the same code. The order of roundings is that of
``formulas.rotate``, and so are the results, bit by bit.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

WORD = ir.IntType(64)
UPPER = 0xFFFF0000


@dataclass(frozen=True)
class Kind:
    """How a dtype lies in memory and in what it is calculated.

    stored, counted  types of LLVM; size: bytes of a stored number
    """

    name: str
    stored: ir.Type
    counted: ir.Type
    size: int


KINDS = (
    Kind("float32", ir.FloatType(), ir.FloatType(), 4),
    Kind("float64", ir.DoubleType(), ir.DoubleType(), 8),
    Kind("float16", ir.HalfType(), ir.FloatType(), 2),
    Kind("bfloat16", ir.IntType(16), ir.FloatType(), 2),  # LLVM's own bfloat is not in every release
)


def turn(kind: Kind, interleaved: bool, width: int, line: int = 0) -> Callable[..., None]:
    """``(x, out, cos, sin, i, pairs)``: turn pairs i to i + width of a row; the first four are addresses.

    line  bytes of a line of the cache, to write past it, without reading the line first: each vector
          written must lie at a multiple of its size, or of the line's if it is longer; 0: as usual
    """

    @intrinsic  # pyright: ignore[reportUntypedFunctionDecorator] (untyped in numba)
    def turned(
        typing_context: Any, x: Any, out: Any, cos: Any, sin: Any, i: Any, pairs: Any
    ) -> tuple[Any, Callable[..., Any]]:
        def generate(_: Any, builder: Any, __: Any, given: Any) -> Any:
            lanes = _Lanes(builder, kind, width, line)
            x, out, cos, sin, i, pairs = given
            c, s = lanes.table(cos, i), lanes.table(sin, i)
            if interleaved:
                start = builder.shl(i, ir.Constant(WORD, 1))
                u, v = lanes.read_neighbours(x, start)
            else:
                start, other = i, builder.add(i, pairs)
                u, v = lanes.read(x, start, width), lanes.read(x, other, width)
            new_u = builder.fsub(builder.fmul(u, c), builder.fmul(v, s))
            new_v = builder.fadd(builder.fmul(v, c), builder.fmul(u, s))
            if interleaved:
                lanes.write_neighbours(out, start, new_u, new_v)
            else:
                lanes.write(out, start, new_u, width)
                lanes.write(out, other, new_v, width)
            return ir.Constant(ir.IntType(8).as_pointer(), None)

        return types.void(*[types.int64] * 6), generate

    return turned


@intrinsic  # pyright: ignore[reportUntypedFunctionDecorator] (untyped in numba)
def copy(typing_context: Any, source: Any, target: Any, size: Any) -> tuple[Any, Callable[..., Any]]:
    """``(source, target, size)``: move that many bytes from one address to another."""

    def generate(_: Any, builder: Any, __: Any, given: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        move = builder.module.declare_intrinsic("llvm.memmove", [byte, byte, WORD])
        source, target, size = given
        where = [builder.inttoptr(address, byte) for address in (target, source)]
        builder.call(move, [*where, size, ir.Constant(ir.IntType(1), 0)])
        return ir.Constant(byte, None)

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic  # pyright: ignore[reportUntypedFunctionDecorator] (untyped in numba)
def settle(typing_context: Any) -> tuple[Any, Callable[..., Any]]:
    """``()``: wait until all that was written is there for other threads too."""

    def generate(_: Any, builder: Any, __: Any, given: Any) -> Any:
        builder.fence("seq_cst")
        return ir.Constant(ir.IntType(8).as_pointer(), None)

    return types.void(), generate


class _Lanes:
    """Instructions on vectors of one kind."""

    def __init__(self, builder: Any, kind: Kind, width: int, line: int):
        self.builder, self.kind, self.width, self.line = builder, kind, width, line

    def table(self, address: Any, start: Any) -> Any:
        size = 8 if isinstance(self.kind.counted, ir.DoubleType) else 4
        return self._load(address, start, self.kind.counted, size, self.width)

    def read(self, address: Any, start: Any, width: int) -> Any:
        """``width`` stored numbers, as they are counted with."""
        found = self._load(address, start, self.kind.stored, self.kind.size, width)
        if self.kind.name == "bfloat16":
            bits = self.builder.zext(found, _vector(ir.IntType(32), width))
            high = self.builder.shl(bits, _all(ir.IntType(32), 16, width))
            return self.builder.bitcast(high, _vector(self.kind.counted, width))
        if self.kind.name == "float16":
            return self.builder.fpext(found, _vector(self.kind.counted, width))
        return found

    def write(self, address: Any, start: Any, values: Any, width: int) -> None:
        """Round to what is stored, to even where two are equally near."""
        if self.kind.name == "bfloat16":
            values = self._to_bfloat16(values, width)
        elif self.kind.name == "float16":
            values = self.builder.fptrunc(values, _vector(self.kind.stored, width))
            if self.line:
                values = self._bits(values, address, width)
        self._store(values, self._at(address, start, values.type.element, self.kind.size, width), width)

    def _bits(self, values: Any, address: Any, width: int) -> Any:
        """Halves as whole numbers: LLVM stores no halves past the cache where the processor counts in them.

        It would call them halves again, were nothing done to the numbers: so they are united with the highest
        bit of an address, which is 0 and which it can't know.
        """
        half = ir.IntType(16)
        nothing = self.builder.trunc(self.builder.lshr(address, ir.Constant(WORD, 63)), half)
        first = self.builder.insert_element(_all(half, 0, width), nothing, ir.Constant(ir.IntType(32), 0))
        every = self.builder.shuffle_vector(first, _all(half, 0, width), _all(ir.IntType(32), 0, width))
        return self.builder.or_(self.builder.bitcast(values, _vector(half, width)), every)

    def _store(self, values: Any, where: Any, width: int) -> None:
        """``width`` numbers as they are stored."""
        if not self.line:
            self.builder.store(values, where, align=self.kind.size)
            return
        stored = self.builder.store(values, where, align=min(self.kind.size * width, self.line))
        one = self.builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)])
        stored.set_metadata("nontemporal", one)

    def read_neighbours(self, address: Any, start: Any) -> tuple[Any, Any]:
        """``width`` numbers at even places, and those at odd ones behind them."""
        if self.kind.name != "bfloat16":
            return self.parted(self.read(address, start, 2 * self.width))
        # Two of them are the halves of a whole number: nothing has to change its place.
        both = self._load(address, start, ir.IntType(32), self.kind.size, self.width)
        low = self.builder.shl(both, _all(ir.IntType(32), 16, self.width))
        high = self.builder.and_(both, _all(ir.IntType(32), UPPER, self.width))
        return tuple(self.builder.bitcast(one, _vector(self.kind.counted, self.width)) for one in (low, high))  # pyright: ignore[reportReturnType] (two)

    def write_neighbours(self, address: Any, start: Any, even: Any, odd: Any) -> None:
        """The other way round."""
        if self.kind.name != "bfloat16":
            self.write(address, start, self.woven(even, odd), 2 * self.width)
            return
        low = self.builder.lshr(self._rounded(even, self.width), _all(ir.IntType(32), 16, self.width))
        high = self.builder.and_(self._rounded(odd, self.width), _all(ir.IntType(32), UPPER, self.width))
        where = self._at(address, start, ir.IntType(32), self.kind.size, self.width)
        self._store(self.builder.or_(low, high), where, 2 * self.width)

    def parted(self, row: Any) -> tuple[Any, Any]:
        """Numbers at even and at odd places."""
        return self._picked(row, row, range(0, 2 * self.width, 2)), self._picked(
            row, row, range(1, 2 * self.width, 2)
        )

    def woven(self, even: Any, odd: Any) -> Any:
        """The other way round."""
        return self._picked(even, odd, [n // 2 + (n % 2) * self.width for n in range(2 * self.width)])

    def _to_bfloat16(self, values: Any, width: int) -> Any:
        rounded = self._rounded(values, width)
        if width > 1 and sys.byteorder == "little":
            # Upper halves are picked and not shifted down and narrowed: LLVM would narrow them while it
            # stores, for which there is no instruction that goes past the cache.
            halves = self.builder.bitcast(rounded, _vector(ir.IntType(16), 2 * width))
            return self._picked(halves, halves, range(1, 2 * width, 2))
        upper = self.builder.lshr(rounded, _all(ir.IntType(32), 16, width))
        return self.builder.trunc(upper, _vector(ir.IntType(16), width))

    def _rounded(self, values: Any, width: int) -> Any:
        """float32 as whole numbers whose upper halves are rounded to bfloat16; the lower ones are left open.

        What is not a number stays as it is. Where all of its bits but the sign are set, as in those that CUDA
        makes, a carry would make a zero of it.
        """
        builder, whole = self.builder, ir.IntType(32)
        bits = builder.bitcast(values, _vector(whole, width))
        last = builder.and_(bits, _all(whole, 0x10000, width))
        odd = builder.icmp_unsigned("!=", last, _all(whole, 0, width))
        half = builder.select(odd, _all(whole, 0x8000, width), _all(whole, 0x7FFF, width))
        number = builder.fcmp_ordered("ord", values, values)
        return builder.select(number, builder.add(bits, half), bits)

    def _picked(self, first: Any, second: Any, places: Any) -> Any:
        places = list(places)
        mask = ir.Constant(_vector(ir.IntType(32), len(places)), places)
        return self.builder.shuffle_vector(first, second, mask)

    def _load(self, address: Any, start: Any, kind: ir.Type, size: int, width: int) -> Any:
        return self.builder.load(self._at(address, start, kind, size, width), align=size)

    def _at(self, address: Any, start: Any, kind: ir.Type, size: int, width: int) -> Any:
        offset = self.builder.mul(start, ir.Constant(WORD, size))
        where = self.builder.add(address, offset)
        return self.builder.inttoptr(where, _vector(kind, width).as_pointer())


def _vector(kind: ir.Type, width: int) -> ir.VectorType:
    return ir.VectorType(kind, width)


def _all(kind: ir.Type, value: int, width: int) -> ir.Constant:
    return ir.Constant(_vector(kind, width), [value] * width)
