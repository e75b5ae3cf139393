"""How much memory the embedded store may use: a share of the machine's, so that it is full before it is killed."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from plyscribe.service.config import ConfigError

MEMORY_VARIABLE = "PLYSCRIBE_STORE_MEMORY"
DEFAULT = "50%"
"""Half. While it rewrites its file, a store may need as much again, and the other processes need some too."""

LEAST = 16 * 1024**2
"""With less a store can hardly start."""

UNITS = {"MB": 1024**2, "GB": 1024**3, "TB": 1024**4}
_FORM = re.compile(r"(?P<share>[1-9][0-9]?|100)%|(?P<number>[1-9][0-9]{0,5})(?P<unit>MB|GB|TB)|0")


def read_store_memory(environ: Mapping[str, str]) -> int:
    """The bytes that the embedded store may use; 0: no limit. ConfigError if the setting is invalid."""
    text = environ.get(MEMORY_VARIABLE) or DEFAULT
    found = _FORM.fullmatch(text.strip().upper())
    if not found:
        allowed = "a share of the machine's memory such as 50%, an amount such as 800MB or 4GB, or 0 for no limit"
        raise ConfigError(f"{MEMORY_VARIABLE} is {text!r}; allowed: {allowed}")
    if found["share"]:
        return max(LEAST, find_memory() * int(found["share"]) // 100)
    if not found["number"]:
        return 0
    amount = int(found["number"]) * UNITS[found["unit"]]
    if amount < LEAST:
        raise ConfigError(f"{MEMORY_VARIABLE} is {text!r}; the least is {LEAST // 1024**2}MB")
    return amount


def find_memory(proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> int:
    """The bytes of memory that this process can use: what the machine has, or less if a control group allows less."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min((physical, *_list_group_limits(proc, groups)))


def _list_group_limits(proc: Path, groups: Path) -> Iterator[int]:
    """The limits of our control group and those above it, of either version of the kernel's interface."""
    with suppress(OSError):
        for line in (proc / "self" / "cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers in ("", "memory"):
                root, name = (groups / "memory", "memory.limit_in_bytes") if controllers else (groups, "memory.max")
                inside = root / path.lstrip("/")
                # In a container the path may be that of the host, and the group that we see is the root.
                for folder in (inside, *inside.parents):
                    if folder.is_relative_to(root):
                        with suppress(OSError, ValueError):
                            yield int((folder / name).read_text())
