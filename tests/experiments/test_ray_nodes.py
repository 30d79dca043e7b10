"""Two nodes, one of which is killed while both compute."""

import threading

import pytest
import ray
from ray.cluster_utils import Cluster
from test_ray import SMALL, numbers

from clockhands.experiments import cluster
from clockhands.experiments.run import run


@pytest.fixture(scope="module")
def nodes():
    soon = {"period_ms": 1000, "timeout_ms": 4000, "failure_threshold": 2}
    checks = {f"health_check_{name}": value for name, value in soon.items()}
    head = {"num_cpus": 0, "include_dashboard": False, "_system_config": checks}
    made = Cluster(initialize_head=True, head_node_args=head)
    try:
        yield made, [made.add_node(num_cpus=1) for _ in range(2)]
    finally:
        made.shutdown()


def test_a_node_killed_half_way_changes_no_number(tmp_path, nodes, monkeypatch):
    made, (_, doomed) = nodes
    design = SMALL.with_(steps=120)
    monkeypatch.setattr(cluster, "PIECE", 0.5)
    sent, lost, killers = [], [], []
    go_on, found = cluster._Flown._go_on, cluster._Flown._found

    def going_on(self, flight):
        go_on(self, flight)
        sent.append(flight.steps)
        if len(sent) == 4:  # each node has ended a piece and begun another
            killers.append(threading.Timer(0.2, made.remove_node, (doomed,), {"allow_graceful": False}))
            killers[0].start()

    def finding(self, done, flight):
        came = found(self, done, flight)
        lost.append(came is None)
        return came

    monkeypatch.setattr(cluster._Flown, "_go_on", going_on)
    monkeypatch.setattr(cluster._Flown, "_found", finding)
    store = run(design, tmp_path / "run", ray=made.address)
    killers[0].join()
    assert sum(lost) >= 1
    assert not ray.is_initialized()
    assert numbers(store) == numbers(run(design, tmp_path / "whole"))
