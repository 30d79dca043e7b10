"""Numbers as people read them on a picture: a true minus sign, thousands grouped, no noise digits."""

from __future__ import annotations

from math import isfinite

import numpy as np


def numeral(value: float, digits: int = 4) -> str:
    """A number with at most ``digits`` significant digits; whole numbers keep all of theirs.

    >>> numeral(1.17162295), numeral(35333.09), numeral(-0.5), numeral(100.0)
    ('1.172', '35,333', '−0.5', '100')
    """
    if not isfinite(value):
        return "∞" if value > 0 else "−∞" if value < 0 else "NaN"
    if value == 0:
        return "0"
    if abs(value) >= 10**digits or float(value).is_integer():
        text = f"{value:,.0f}" if abs(value) < 1e15 else scientific(value)
    elif abs(value) < 1e-4:
        text = scientific(value)
    else:
        text = f"{value:.{digits}g}"
        text = f"{float(text):,.10f}".rstrip("0").rstrip(".")
    return text.replace("-", "−")


def scientific(value: float) -> str:
    """``4 × 10⁻¹⁴``: one digit and a power of ten.

    >>> scientific(4.2e-14)
    '4 × 10⁻¹⁴'
    """
    mantissa, exponent = f"{value:.0e}".split("e")
    raised = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{mantissa} × 10{raised}".replace("-", "−")


def round_ticks(low: float, high: float, most: int = 6, *, whole: bool = False) -> list[float]:
    """Round numbers within ``low .. high``, at most ``most`` of them; ``whole`` allows integers only.

    >>> round_ticks(0, 99, 6, whole=True)
    [0.0, 20.0, 40.0, 60.0, 80.0]
    """
    if not high > low:
        return [low]
    rough = (high - low) / most
    size = 10.0 ** np.floor(np.log10(rough))
    step = float(next(size * factor for factor in (1, 2, 5, 10, 20) if size * factor >= rough * (1 - 1e-9)))
    if whole:
        step = max(1.0, round(step))
    first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
    while last - first + 1 > most and last > first:
        step *= 2
        first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
    ticks = [float(f"{step * number:.12g}") for number in range(first, last + 1)]
    return ticks or [low]


def power_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Powers of ten within ``low .. high`` for a logarithmic axis.

    >>> power_ticks(6.28, 35333)
    [10.0, 100.0, 1000.0, 10000.0]
    """
    first, last = int(np.ceil(np.log10(low) - 1e-9)), int(np.floor(np.log10(high) + 1e-9))
    step = max(1, -(-(last - first + 1) // most))
    return [10.0**power for power in range(first, last + 1, step)] or [low]


def thinned(count: int, most: int) -> list[int]:
    """Indices of at most ``most`` of ``count`` things, evenly spaced, the first one always there.

    >>> thinned(10, 4)
    [0, 3, 6, 9]
    """
    return list(range(0, count, max(1, -(-count // max(1, most)))))
