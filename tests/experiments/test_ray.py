"""A comparison on a Ray cluster of this machine, and what is said where there is none."""

import dataclasses
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import ray
from ray import cluster_utils as ray_cluster

from clockhands.errors import ClockhandsError, MissingExtra
from clockhands.experiments import cluster, reaching, run
from clockhands.experiments.cells import cells
from clockhands.experiments.design import Design, ModelSize
from clockhands.experiments.pieces import piece
from clockhands.experiments.store import Store
from clockhands.training.checkpoint import Checkpoints
from clockhands.training.loop import Bar

SMALL = Design(
    schemes=("nope", "t5"), tasks=("copy",), seeds=2, steps=30, batch=4, items=6, length=3,
    model=ModelSize(dim=16, heads=2, layers=2),
)  # fmt: skip


def numbers(store):
    """All that was measured, but how long it took."""
    return [dataclasses.replace(row, seconds=0.0, speed=0.0) for row in store.rows(store.design())]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return numbers(run.run(SMALL, tmp_path_factory.mktemp("whole") / "run"))


def test_a_cluster_gives_the_same_table(tmp_path, whole, monkeypatch):
    monkeypatch.setattr(cluster, "PIECE", 0.1)
    store = run.run(SMALL, tmp_path / "run", ray="local", workers=2)
    assert numbers(store) == whole
    assert not ray.is_initialized()
    assert not (tmp_path / "run" / "running").exists()


def test_pieces_of_a_cell_give_what_the_whole_gives(whole):
    """Each piece elsewhere, with nothing but the state: what a node does that a cell is moved to."""
    cell = cells(SMALL)[1]
    task, state, steps = SMALL.task("copy"), None, []
    for _ in range(SMALL.steps):
        done = piece(SMALL, task, cell, cell.rate, state, 0.0, False)
        steps.append(done.steps)
        state = done.state
        if done.row is not None:
            break
    assert len(steps) > 3
    assert steps == sorted(set(steps))
    assert dataclasses.replace(done.row, seconds=0.0, speed=0.0) == whole[1]


def test_a_cluster_that_does_not_answer_is_said_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(reaching, "_PATIENCE", 4.0)
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        address = f"127.0.0.1:{deaf.getsockname()[1]}"
        begun = time.monotonic()
        with pytest.raises(ClockhandsError, match=f"no Ray cluster answers at {address}"):
            run.run(SMALL, tmp_path / "run", ray=address)
        assert time.monotonic() - begun < 60  # seconds for a check of four, on a machine that is loaded
    with pytest.raises(ClockhandsError, match=f"no Ray cluster answers at {address} .ConnectionRefused"):
        run.run(SMALL, tmp_path / "run", ray=address)
    with pytest.raises(ClockhandsError, match="give local, auto, HOST:PORT"):
        run.run(SMALL, tmp_path / "run", ray="somewhere")
    with pytest.raises(ClockhandsError, match="--gpus-per-cell is for a Ray cluster"):
        run.run(SMALL, tmp_path / "run", gpus_per_cell=1)
    monkeypatch.setattr(reaching, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"clockhands\[ray\]"):
        run.run(SMALL, tmp_path / "run", ray="local")
    assert not (tmp_path / "run").exists()


def test_ray_is_loaded_only_where_it_is_asked_for():
    script = (
        "import sys, clockhands.experiments.run, clockhands.experiments.cluster; print('ray' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


class _Ray:
    """As much of Ray as tells what a cluster has, and does each piece at once or loses it."""

    exceptions = ray.exceptions

    def __init__(self, **has):
        self.has, self.loses, self.sent = has, False, []

    def cluster_resources(self):
        return self.has

    def put(self, what):
        return what

    def get(self, index):
        if self.loses:
            raise ray.exceptions.WorkerCrashedError
        return self.function(*self.sent[index])

    def wait(self, flying, timeout):
        return flying[:1], flying[1:]

    def cancel(self, what, force):
        pass


class _Sent:
    def __init__(self, to):
        self.to = to

    def remote(self, *given):
        self.to.sent.append(given)
        return len(self.to.sent) - 1


def flown(tmp_path, faked, design=SMALL):
    faked.function = piece
    store = Store(tmp_path / "run")
    store.begin(design)
    bar = Bar(total=1, disable=True)
    return cluster._Flown(faked, _Sent(faked), store, design, bar, 0)


def test_what_came_back_before_ctrl_c_is_gone_on_with(tmp_path, whole, monkeypatch):
    """By this machine alone, too: the state is all that there is of a cell."""
    monkeypatch.setattr(cluster, "PIECE", 0.0)
    one, landed = flown(tmp_path, _Ray(CPU=2.0)), []

    def heed():
        landed.append(None)
        if len(landed) == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        one.all_of(cells(SMALL), None, heed)
    store = Store(tmp_path / "run")
    assert not store.finished()
    behind = [Checkpoints(store.running(cell)) for cell in cells(SMALL)]
    assert [kept.packed() is not None for kept in behind] == [True, True, False, False]
    assert numbers(run.resume(tmp_path / "run")) == whole


def test_as_many_cells_are_under_way_as_there_is_room_for():
    assert cluster._room(_Ray(CPU=3.0), 0) == 3
    assert cluster._room(_Ray(CPU=9.0, GPU=2.0), 0.5) == 4
    assert cluster._room(_Ray(), 0) == 1  # no node is left: one waits for the next
    with pytest.raises(ClockhandsError, match="asks for 1 GPUs and the cluster has 0"):
        cluster._require_room(_Ray(CPU=2.0), 1)


def test_a_cell_that_is_lost_again_and_again_ends_the_run(tmp_path):
    faked = _Ray(CPU=1.0)
    faked.loses = True
    with pytest.raises(ClockhandsError, match="nope, copy, seed 0 was lost 5 times"):
        flown(tmp_path, faked).all_of(cells(SMALL), None, lambda: None)
    assert len(faked.sent) == cluster.MOST_LOST


def test_what_is_lost_with_a_node_is_sent_again(tmp_path):
    """Ray says of a piece whose design is lost that it failed, and why: no fault of the cell."""
    faked = _Ray(CPU=1.0)
    faked.put = lambda what: faked.kept.append(what) or what
    faked.kept, plain = [], faked.get

    def get(index):
        if index == 1:
            lost = ray.exceptions.ObjectLostError("00" * 28, "somewhere", "")
            raise ray.exceptions.RayTaskError("piece", "", lost)
        return plain(index)

    faked.get = get
    flown(tmp_path, faked).all_of(cells(SMALL), None, lambda: None)
    assert len(Store(tmp_path / "run").finished()) == len(cells(SMALL))
    assert faked.kept.count(SMALL) == 2  # at the beginning, and after the loss


def test_other_versions_on_a_node_are_refused():
    here = cluster.versions()
    cluster._require_alike(here | {"python": "3.0"})
    with pytest.raises(ClockhandsError, match=r"a node has torch 1\.0 and this machine has"):
        cluster._require_alike(here | {"torch": "1.0"})


def test_processes_that_share_a_training_find_what_one_finds(tmp_path, whole):
    """But for the order of sums, and so for the last digits."""
    design, store = SMALL.with_(seeds=1), Store(tmp_path / "run")
    store.begin(design)
    (done, cell), (there, alone) = cells(design), [one for one in whole if one.seed == 0]
    store.save(done, there)
    run.finish(store, design, ray="local", workers=1, data_parallel=2)
    (row,) = (one for one in store.rows(design) if one.id == cell.id)
    assert row.failed is None
    assert row.versions["processes"] == "2"
    assert row.losses == pytest.approx(alone.losses, abs=1e-4)
    assert row.validation == pytest.approx(alone.validation, abs=1e-4)
    assert row.measured.keys() == alone.measured.keys()


@pytest.fixture
def no_token(tmp_path, monkeypatch):
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(reaching.Path, "home", lambda: tmp_path)
    return tmp_path


def test_a_token_that_is_here_is_shown_to_a_cluster_that_asks(no_token, monkeypatch):
    def asks(where, more):
        assert more == {}
        raise subprocess.CalledProcessError(1, where)

    monkeypatch.setattr(reaching, "_checked", asks)
    address = "127.0.0.1:6379"
    assert reaching._with_token(address) == {}
    file = no_token / ".ray" / "auth_token"
    file.parent.mkdir()
    file.write_text("00")
    assert reaching._with_token(address) == {"RAY_AUTH_MODE": "token"}
    assert reaching._with_token("local") == {}  # which makes its own
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    assert reaching._with_token(address) == {}  # whoever said so is obeyed
    monkeypatch.delenv("RAY_AUTH_MODE")
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(no_token / "elsewhere"))
    assert reaching._with_token(address) == {}
    monkeypatch.setenv("RAY_AUTH_TOKEN", "00")
    for where in (address, "auto", "ray://there:10001"):
        assert reaching._with_token(where) == {"RAY_AUTH_MODE": "token"}
    monkeypatch.setattr(reaching, "_checked", lambda where, more: None)  # one that asks for none
    assert [reaching._with_token(where) for where in (address, "auto")] == [{}, {}]


def test_with_a_token_here_a_cluster_without_one_computes(no_token, tmp_path):
    """Told to show a token, this process would ask its nodes for it, and they would take it for dead."""
    file = no_token / ".ray" / "auth_token"
    file.parent.mkdir()
    file.write_text("0" * 64)
    head = {"num_cpus": 0, "include_dashboard": False}
    made = ray_cluster.Cluster(initialize_head=True, head_node_args=head)
    made.add_node(num_cpus=1)
    script = (
        "import sys; from clockhands.experiments.run import run; from test_ray import SMALL; "
        "print(len(run(SMALL.with_(seeds=1), sys.argv[1], ray=sys.argv[2]).finished()))"
    )
    home = {"HOME": str(no_token), "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    try:
        found = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "run"), made.address],
            capture_output=True, text=True, env={**os.environ, **home},
        )  # fmt: skip
    finally:
        made.shutdown()
    assert found.stdout == "2\n", found.stderr


def test_a_cluster_that_asks_for_a_token_is_no_silent_one(no_token, monkeypatch):
    def refused(command, **how):
        raise subprocess.CalledProcessError(1, command, stderr=b"InvalidAuthToken: missing or incorrect")

    monkeypatch.setattr(reaching.subprocess, "run", refused)
    with socket.socket() as there:
        there.bind(("127.0.0.1", 0))
        there.listen()
        with pytest.raises(ClockhandsError, match="asks for its token: put the file"):
            reaching.require_answer(f"127.0.0.1:{there.getsockname()[1]}")
