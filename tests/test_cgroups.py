"""What a container lets a process use, read off made-up trees of system files."""

from __future__ import annotations

from pathlib import Path

import pytest

from clockhands.cgroups import left_in_cgroups

MOUNT_V2 = "30 20 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
MOUNT_V1 = (
    "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    "31 20 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
    "32 20 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
)
NO_LIMIT_V1 = "9223372036854771712"


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def v2(folder: str, limit: str, used: int, cached: int = 0) -> dict[str, str]:
    where = f"sys/fs/cgroup/{folder}"
    stat = f"anon 7\nfile 900\ninactive_file {cached}\nactive_file 5\n"
    named = {"memory.max": f"{limit}\n", "memory.current": f"{used}\n", "memory.stat": stat}
    return {f"{where}/{name}": text for name, text in named.items()}


def v1(folder: str, limit: str, used: int, cached: int = 0) -> dict[str, str]:
    where = f"sys/fs/cgroup/memory/{folder}"
    stat = f"inactive_file 1\ntotal_inactive_file {cached}\n"
    named = {"memory.limit_in_bytes": limit, "memory.usage_in_bytes": str(used), "memory.stat": stat}
    return {f"{where}/{name}": text for name, text in named.items()}


def process(mounts: str, group: str) -> dict[str, str]:
    return {"proc/self/mountinfo": mounts, "proc/self/cgroup": group}


IN_V2 = process(MOUNT_V2, "0::/user.slice/job:7\n")
IN_V1 = process(MOUNT_V1, "4:cpu,cpuacct:/elsewhere\n3:memory:/docker/ab\n0::/\n")
NAMESPACE = process(MOUNT_V2.replace("0:26 / ", "0:26 /docker/ab "), "0::/docker/ab\n")
OUTSIDE = process(MOUNT_V2.replace("0:26 / ", "0:26 /docker/ab "), "0::/../other\n")
HYBRID = process(MOUNT_V1 + MOUNT_V2.replace("cgroup rw", "cgroup/unified rw"), "3:memory:/docker/ab\n0::/\n")
BLANK = process(MOUNT_V2.replace("/sys/fs/cgroup", "/my\\040groups"), "0::/\n")


@pytest.mark.parametrize(
    ("files", "left"),
    [
        pytest.param({}, None, id="no groups"),
        pytest.param(IN_V2 | v2("user.slice/job:7", "3000", 1000), 2000, id="own limit"),
        pytest.param(IN_V2 | v2("user.slice/job:7", "3000", 1000, 400), 2400, id="file cache given back"),
        pytest.param(IN_V2 | v2("user.slice/job:7", "max", 1000), None, id="no limit"),
        pytest.param(
            IN_V2 | v2("user.slice/job:7", "max", 10) | v2("user.slice", "5000", 1500, 100), 3600, id="parent"
        ),
        pytest.param(IN_V2 | v2("user.slice/job:7", "3000", 10) | v2("", "2000", 1500), 500, id="top"),
        pytest.param(
            IN_V2 | v2("user.slice/job:7", "900", 10) | v2("user.slice", "5000", 10), 890, id="tightest"
        ),
        pytest.param(IN_V2 | v2("user.slice/job:7", "3000", 4000), 0, id="over the limit"),
        pytest.param(IN_V2 | v2("elsewhere", "30", 1), None, id="another's limit"),
        pytest.param(IN_V1 | v1("docker/ab", "3000", 1000, 400), 2400, id="version 1"),
        pytest.param(IN_V1 | v1("docker/ab", NO_LIMIT_V1, 1) | v1("docker", "70", 1), 69, id="v1 parent"),
        pytest.param(IN_V1 | v1("docker/ab", NO_LIMIT_V1, 1000), None, id="v1 without a limit"),
        pytest.param(HYBRID | v1("docker/ab", "3000", 1000), 2000, id="both versions mounted"),
        pytest.param(NAMESPACE | v2("", "3000", 1000), 2000, id="only the own group is mounted"),
        pytest.param(OUTSIDE | v2("", "3000", 1000), 2000, id="path of another namespace"),
        pytest.param(BLANK | {"my groups/memory.max": "9", "my groups/memory.current": "2"}, 7, id="blank"),
        pytest.param(process("nonsense\n\n1 2 - \n", "x\n"), None, id="files that say nothing"),
    ],
)
def test_the_tightest_limit_on_the_way_up_counts(files: dict[str, str], left: int, tmp_path: Path) -> None:
    assert left_in_cgroups(tree(tmp_path, files)) == left
