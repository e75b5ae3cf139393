"""How much memory the embedded store gets: a share of what the machine or its control group has, or an amount."""

from pathlib import Path

import pytest

from plyscribe.service.config import ConfigError
from plyscribe.service.processes import store_memory as module
from plyscribe.service.processes.store_memory import LEAST, MEMORY_VARIABLE, find_memory, read_store_memory

GIB = 1024**3


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_memory", lambda: 8 * GIB)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("", 4 * GIB),
        ("50%", 4 * GIB),
        ("25 %".replace(" ", ""), 2 * GIB),
        ("100%", 8 * GIB),
        ("3GB", 3 * GIB),
        ("3gb", 3 * GIB),
        ("800MB", 800 * 1024**2),
        ("1TB", 1024 * GIB),
        ("0", 0),
    ],
)
def test_a_share_or_an_amount_or_no_limit(text, size):
    assert read_store_memory({MEMORY_VARIABLE: text}) == size


@pytest.mark.parametrize("text", ["half", "0%", "101%", "-1GB", "1.5GB", "4", "4K", "1MB", "50%%", "01GB"])
def test_anything_else_is_refused_with_what_is_allowed(text):
    with pytest.raises(ConfigError, match=f"{MEMORY_VARIABLE} is '{text}'; (allowed: a share|the least is 16MB)"):
        read_store_memory({MEMORY_VARIABLE: text})


def test_a_share_of_a_tiny_machine_is_still_enough_to_start(monkeypatch):
    monkeypatch.setattr(module, "find_memory", lambda: LEAST)
    assert read_store_memory({}) == LEAST


def machine_with(root: Path, groups: str, **limits: str) -> int:
    (root / "proc" / "self").mkdir(parents=True)
    (root / "proc" / "self" / "cgroup").write_text(groups)
    for place, limit in limits.items():
        file = (
            root / "groups" / place.replace("__", "/").replace("_limit", ".limit").replace("memory_max", "memory.max")
        )
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{limit}\n")
    return find_memory(root / "proc", root / "groups")


def test_without_a_control_group_it_is_the_memory_of_the_machine(tmp_path):
    assert find_memory(tmp_path, tmp_path) > LEAST


def test_the_narrowest_limit_of_the_control_groups_counts(tmp_path):
    limits = {"a__memory_max": "70000000", "a__b__memory_max": "max"}
    assert machine_with(tmp_path, "0::/a/b\n", **limits) == 70_000_000


def test_in_a_container_the_limit_is_that_of_the_group_it_sees(tmp_path):
    assert machine_with(tmp_path, "0::/host/only\n", memory_max="60000000") == 60_000_000


def test_the_older_interface_counts_too(tmp_path):
    limits = {"memory__a__memory_limit_in_bytes": "50000000"}
    assert machine_with(tmp_path, "5:cpu:/a\n4:memory:/a\n", **limits) == 50_000_000
