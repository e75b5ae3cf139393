"""The topology: which processes make up a service, by layout and by kit. See topology.toml."""

import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
FILE = FOLDER / "topology.toml"


@dataclass(frozen=True, slots=True)
class Process:
    """A kind of process: how many there are, the words of its command, and its whole environment."""

    name: str
    count: int
    command: tuple[str, ...]
    environment: Mapping[str, str]
    own_environment: Mapping[str, str]
    """What of the environment the other processes do not have."""

    stops_within_s: int
    memory_mb: int

    @property
    def is_web(self) -> bool:
        """Whether it listens for requests."""
        return self.name == "web"


@dataclass(frozen=True, slots=True)
class Kit:
    """A layout with its places filled in."""

    layout: str
    environment: Mapping[str, str]
    """What all processes share, without what is empty."""

    left_open: tuple[str, ...]
    """Variables whose places are empty, so that somebody else sets them."""

    processes: tuple[Process, ...]


def read_kit(name: str) -> Kit:
    """The layout of this kit in its places."""
    kit = _read_topology()["kits"][name]
    return fill_layout(kit["layout"], kit["places"])


def fill_layout(layout: str, places: Mapping[str, str]) -> Kit:
    """A layout in these places, and in no others. KeyError names a word in braces that has none."""
    read = _read_topology()
    said = read["layouts"][layout]
    filled = {name: text.format_map(places) for name, text in said["environment"].items()}
    shared = {name: text for name, text in filled.items() if text}
    processes = [_make_process(name, each, said["count"][name], shared) for name, each in read["processes"].items()]
    return Kit(layout, shared, tuple(sorted(filled.keys() - shared.keys())), tuple(processes))


def _make_process(name: str, said: Mapping[str, Any], count: int, shared: Mapping[str, str]) -> Process:
    own = said.get("environment", {})
    command = tuple(shlex.split(said["command"]))
    return Process(name, count, command, {**shared, **own}, own, said["stops_within_s"], said["memory_mb"])


@cache
def _read_topology() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))
