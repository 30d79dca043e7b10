"""Reaching a Ray cluster, or starting one of this machine alone."""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from clockhands.errors import ClockhandsError, MissingExtra
from clockhands.language import Text

LOCAL, AUTO = "local", "auto"
_PATIENCE = 12.0  # seconds that a cluster gets to answer
_STORE = 128 * 2**20  # bytes of shared memory of a local cluster: states are small
_NO_STATISTICS = {"RAY_USAGE_STATS_ENABLED": "0"}
_MODE, _TOKEN, _TOKEN_FILE = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"


@contextmanager
def session(address: str, workers: int | None) -> Iterator[Any]:
    """Ray, connected; within it no usage statistics are sent and, of a local cluster, no dashboard is there.

    Raises ClockhandsError where none answers.
    """
    with _environment(**_NO_STATISTICS, **_with_token(address)):
        import ray

        more: dict[str, Any] = {}
        if address == LOCAL:
            more = {
                "num_cpus": workers, "include_dashboard": False, "_node_ip_address": "127.0.0.1",
                "object_store_memory": _STORE,
            }  # fmt: skip
        try:
            ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **more)
        except Exception as error:  # Ray raises a bare one where its processes do not start
            raise _no_answer(address, error) from error
        try:
            yield ray
        finally:
            ray.shutdown()


@contextmanager
def _environment(**changes: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _with_token(address: str) -> dict[str, str]:
    """What tells Ray to show the token that this machine has, where the cluster asks for one.

    ``ray start`` guards a cluster as soon as there is a token, which the first local one makes; whoever
    connects shows it only when told to. Told to without need, this process would ask for it in turn, and the
    nodes of a cluster without one would take it for dead.
    """
    if address == LOCAL or _MODE in os.environ:
        return {}
    path = os.environ.get(_TOKEN_FILE) or Path.home() / ".ray" / "auth_token"
    if not os.environ.get(_TOKEN) and not Path(path).is_file():
        return {}
    try:
        if "://" not in address:  # Ray's check knows no other addresses
            _checked(address, {})
            return {}
    except (OSError, subprocess.SubprocessError):
        pass
    return {_MODE: "token"}


def _checked(address: str, more: dict[str, str]) -> None:
    """Ray's own check of a cluster; CalledProcessError where it has none, or wants a token."""
    where = [] if address == AUTO else ["--address", address]
    check = [sys.executable, "-m", "ray.scripts.scripts", "health-check", *where]
    subprocess.run(check, timeout=_PATIENCE, check=True, capture_output=True, env={**os.environ, **more})


def require_answer(address: str) -> None:
    """Raise MissingExtra without Ray, and ClockhandsError where no cluster answers within some seconds.

    A port that is closed says so at once; whether a cluster is behind it, Ray's own check says.
    """
    if find_spec("ray") is None:
        raise MissingExtra(Text("A cluster", "集群"), "ray")
    if address in (LOCAL, AUTO):
        return
    scheme, _, place = address.rpartition("://")
    host, _, port = place.rpartition(":")
    if scheme not in ("", "ray") or not host or not port.isascii() or not port.isdigit():
        raise ClockhandsError(
            f"--ray is '{address}': give local, auto, HOST:PORT or ray://HOST:PORT",
            f"--ray 为“{address}”：请写 local、auto、主机:端口 或 ray://主机:端口",
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE / 4).close()
        if not scheme:
            _checked(place, _with_token(place))
    except (OSError, OverflowError, subprocess.SubprocessError) as error:
        raise _no_answer(address, error) from error


def _no_answer(address: str, error: Exception) -> ClockhandsError:
    kind = type(error).__name__
    said = f"{getattr(error, 'stderr', b'')!r} {error}"
    if "AuthToken" in said or "authentication token" in said:
        return ClockhandsError(
            f"the Ray cluster at {address} asks for its token: put the file ~/.ray/auth_token of its head on "
            "this machine, or set RAY_AUTH_TOKEN",
            f"{address} 的 Ray 集群要求令牌：请把其主节点的 ~/.ray/auth_token 复制到本机，"
            "或设置 RAY_AUTH_TOKEN",
        )
    return ClockhandsError(
        f"no Ray cluster answers at {address} ({kind}): start one with 'ray start --head', or give "
        "--ray local",
        f"{address} 没有 Ray 集群应答（{kind}）：请用“ray start --head”启动一个，或改用 --ray local",
    )
