"""What other people's code raises, told apart from what ours does: only theirs is ever passed over."""

from __future__ import annotations


class Refusal(Exception):
    """A class or a model raised, given what the probe gave it; ``str`` says what.

    Our own code runs in the middle of a model's, in hooks: what that raises is a fault of the probe, is no
    ``Refusal``, and stops a measurement.
    """

    def __init__(self, error: BaseException | str):
        said = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
        super().__init__(" ".join(said.split())[:300])
