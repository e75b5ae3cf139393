"""How much memory the embedded store gets: a share of what the machine or its control group has, or an amount."""

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
        *((share, size * GIB) for share, size in (("", 4), ("50%", 4), ("25%", 2), ("100%", 8))),
        *((amount, size * GIB) for amount, size in (("3GB", 3), ("3gb", 3), ("1TB", 1024), ("0", 0))),
        ("800MB", 800 * 1024**2),
    ],
)
def test_a_share_or_an_amount_or_no_limit(text, size):
    assert read_store_memory({MEMORY_VARIABLE: text}) == size


@pytest.mark.parametrize("text", ["half", "0%", "101%", "-1GB", "1.5GB", "4", "4K", "1MB", "50%%", "01GB"])
def test_anything_else_is_refused_with_what_is_allowed(text):
    with pytest.raises(ConfigError, match=f"{MEMORY_VARIABLE} is '{text}'; (allowed: a share|the least is 16MB)"):
        read_store_memory({MEMORY_VARIABLE: text})


@pytest.mark.parametrize(
    ("groups", "limits", "memory"),
    [
        ("0::/a/b\n", {"a/memory.max": "70000000", "a/b/memory.max": "max"}, 70_000_000),
        ("0::/host/only\n", {"memory.max": "60000000"}, 60_000_000),
        ("5:cpu:/a\n4:memory:/a\n", {"memory/a/memory.limit_in_bytes": "50000000"}, 50_000_000),
    ],
    ids=["the narrowest limit counts", "a container sees its own group alone", "the older interface counts too"],
)
def test_the_limits_of_control_groups_count(tmp_path, groups, limits, memory):
    files = {"proc/self/cgroup": groups, **{f"groups/{place}": f"{limit}\n" for place, limit in limits.items()}}
    for place, text in files.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text)
    assert find_memory(tmp_path / "proc", tmp_path / "groups") == memory


def test_without_a_control_group_it_is_the_memory_of_the_machine_and_enough_to_start(tmp_path, monkeypatch):
    assert find_memory(tmp_path, tmp_path) > LEAST
    monkeypatch.setattr(module, "find_memory", lambda: LEAST)
    assert read_store_memory({}) == LEAST
