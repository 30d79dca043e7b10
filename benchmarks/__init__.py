"""Side-by-side timing against peers: ``python -m benchmarks [NAME ...]``.

Each module here, but for the harness, is one benchmark: it has a function ``measure() -> Report``. Results
are written as ``results/NAME.md``.
"""
