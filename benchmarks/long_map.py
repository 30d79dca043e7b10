"""A map of 16,384 tokens of one head of a random model of SmolLM2's size, traced and written as tiles."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.harness import Report, number, table

TOKENS = 16_384
LAYERS = (0, 3)


def in_this_process(layer: int, folder: str) -> dict[str, float]:
    """Seconds and gigabytes of one layer; memory is that of the process, so each needs one of its own."""
    import resource

    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    import clockhands as ch
    from clockhands.language import Text
    from clockhands.plots.tiles import save_tiles

    def gigabytes() -> float:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9

    config = LlamaConfig(
        vocab_size=49152, hidden_size=576, intermediate_size=1536, num_hidden_layers=30,
        num_attention_heads=9, num_key_value_heads=3, max_position_embeddings=TOKENS,
        tie_word_embeddings=True,
    )  # fmt: skip
    model = LlamaForCausalLM(config).eval()
    loaded = gigabytes()
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(0, config.vocab_size, (TOKENS,), generator=generator).tolist()
    start = time.perf_counter()
    call = ch.attention.trace(model, None, ids=ids, layers=[layer], heads=[0]).calls[0]
    traced = time.perf_counter()
    save_tiles(Path(folder), call.bands(0), TOKENS, TOKENS, title=Text("random", "随机"))
    done = time.perf_counter()
    return {"loaded": loaded, "peak": gigabytes(), "trace": traced - start, "tiles": done - traced}


def measure() -> Report:
    rows = []
    for layer in LAYERS:
        with tempfile.TemporaryDirectory() as folder:
            command = (sys.executable, "-m", "benchmarks.long_map", str(layer), folder)
            said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            found = json.loads(said.splitlines()[-1])
            count = len(list(Path(folder).glob("*.png")))
            size = sum(path.stat().st_size for path in Path(folder).iterdir()) / 1e6
        rows.append(
            (
                str(layer), f"{number(found['loaded'])} GB", f"{number(found['peak'])} GB",
                f"{number(found['trace'])} s", f"{number(found['tiles'])} s", f"{count}, {number(size)} MB",
            )
        )  # fmt: skip
    return Report(
        "A map of 16,384 tokens as tiles",
        (
            "One head of a random model of SmolLM2-135M's size (30 layers, 9 heads of 64, float32). "
            f"The whole map has {TOKENS**2:,} cells, 1.07 GB in float32, and is never held. Memory is the "
            "most that the process had, the model and torch included. Layers behind the one that is wanted "
            "are not run.",
            table(("layer", "model loaded", "at most", "trace", "tiles", "written"), rows),
        ),
    )


if __name__ == "__main__":
    print(json.dumps(in_this_process(int(sys.argv[1]), sys.argv[2])))
