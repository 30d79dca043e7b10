"""The pictures of the site, drawn in as many processes as there are cores; a warning is an error."""

from __future__ import annotations

import multiprocessing
import os
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from clockhands.pages import Drawing
from docs.site.staging import Sources


def draw_all(sources: Sources) -> None:
    """Draw whatever the pages show. Raises the error of the first drawing that fails."""
    for _, folder in sources.drawings:
        folder.mkdir(parents=True, exist_ok=True)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # the processes share the cores
    clean = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=clean, initializer=_strictly) as pool:
        for _ in pool.map(_draw, *zip(*sources.drawings, strict=True), chunksize=8):
            pass


def _strictly() -> None:
    warnings.simplefilter("error")


def _draw(drawing: Drawing, folder: Path) -> None:
    drawing.save(folder)
