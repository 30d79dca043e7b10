"""Small texts and settings that train in a moment."""

import signal
import threading

import pytest
import torch

from clockhands.training import AttendSettings

TEXT = "史进看见鲁达，鲁达看见史进，史进打郑屠，郑屠打不过鲁达。王进教史进练武，史进拜王进为师。"


@pytest.fixture(autouse=True)
def heeds_ctrl_c():
    """Ctrl-C raises KeyboardInterrupt, also where tests run in the background, which ignores it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def tiny():
    """Settings of a run of a few small steps; any of them can be given anew."""

    def make(**changes):
        small = {
            "task": "masked", "tokenizer": "chars", "texts": (TEXT, TEXT[7:30]), "dim": 8, "heads": 2,
            "layers": 1, "context": 10, "batch": 2, "epochs": 3,
        }  # fmt: skip
        if changes.get("task") == "reconstruct":
            small["layers"] = None
        return AttendSettings(**(small | changes))

    return make


@pytest.fixture
def cpu():
    return torch.device("cpu")
