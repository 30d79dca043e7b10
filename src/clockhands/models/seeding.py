"""Random numbers from named streams: what one part draws never shifts what another part gets."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

from clockhands.catalogue.rules import require_count
from clockhands.core.encoding import Encoding

CPU = torch.device("cpu")


@contextmanager
def stream(seed: int, *names: object, device: torch.device = CPU) -> Iterator[None]:
    """Within it torch draws from a stream of its own, named by ``seed`` and ``names``.

    Torch's global generators (of the CPU and of ``device``) go on afterwards as if nothing had happened.

    >>> with stream(0, "weights", "first"):
    ...     a = torch.rand(1)
    >>> with stream(0, "weights", "first"):
    ...     a == torch.rand(1)
    tensor([True])
    """
    number = zlib.crc32("/".join(map(str, (seed, *names))).encode())
    accelerators = [] if device.type == "cpu" else [device]
    kind = "cuda" if device.type == "cpu" else device.type
    with torch.random.fork_rng(devices=accelerators, device_type=kind):
        torch.default_generator.manual_seed(number)
        if accelerators:
            torch.get_device_module(device).manual_seed(number)
        yield


def root_seed(seed: int | None) -> int:
    """``seed`` itself; for None one drawn from torch's global generator, which ``torch.manual_seed`` sets."""
    if seed is None:
        return int(torch.randint(2**31, ()))
    require_count(seed, "seed", least=0, most=2**63 - 1)
    return seed


def initialise(root: nn.Module, seed: int) -> None:
    """Draw the initial weights of ``root`` anew, each layer from a stream with its own name.

    Encodings are left alone: they bring their own numbers. So two models that differ in the encoding only
    start with equal weights everywhere else, and layers don't shift each other.
    """
    encodings = [module for module in root.modules() if isinstance(module, Encoding)]
    spared = {id(part) for encoding in encodings for part in encoding.modules()}
    for name, module in root.named_modules():
        if id(module) not in spared and isinstance(module, nn.Linear | nn.Embedding | nn.LayerNorm):
            with stream(seed, "weights", name):
                module.reset_parameters()
