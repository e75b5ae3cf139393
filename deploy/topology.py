"""The topology: which processes make up a service, by layout and by kit. See topology.toml."""

import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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
    """A layout with the places of one kit filled in."""

    name: str
    layout: str
    environment: Mapping[str, str]
    """What all processes share, without what is empty."""

    processes: tuple[Process, ...]
    left_open: tuple[str, ...] = field(default=())
    """Variables whose places are empty in this kit, so that somebody else sets them."""


def read_kit(name: str, topology: Mapping[str, Any] | None = None) -> Kit:
    """The kit of this name, as topology.toml has it. KeyError if a word in braces has no place."""
    read = topology or tomllib.loads(FILE.read_text(encoding="utf-8"))
    return fill_kit(name, read["kits"][name]["layout"], read["kits"][name]["places"], read)


def fill_kit(name: str, layout: str, places: Mapping[str, str], topology: Mapping[str, Any] | None = None) -> Kit:
    """A layout in these places. KeyError if one is missing."""
    read = topology or tomllib.loads(FILE.read_text(encoding="utf-8"))
    filled = {key: text.format_map(places) for key, text in read["layouts"][layout]["environment"].items()}
    shared = {key: text for key, text in filled.items() if text}
    processes = tuple(_fill(read, layout, shared))
    return Kit(name, layout, shared, processes, tuple(sorted(filled.keys() - shared.keys())))


def _fill(topology: Mapping[str, Any], layout: str, shared: Mapping[str, str]) -> Iterator[Process]:
    counts = topology["layouts"][layout]["count"]
    for name, said in topology["processes"].items():
        own = said.get("environment", {})
        command = tuple(shlex.split(said["command"]))
        yield Process(name, counts[name], command, {**shared, **own}, own, said["stops_within_s"], said["memory_mb"])
