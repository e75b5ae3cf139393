"""Which account a name belongs to. Each name that is taken has a stream, whose id follows from the folded name.

Its first event says whose name it is, so if two people ask for a name at the same time, one gets it. The event names
the account before that account is opened. Whoever asks for the name as long as it is not, opens the account of that id.
So a service that dies in between loses no name, and no name ever has two accounts. The name itself is not recorded
here.
"""

from base64 import b32encode
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, ClassVar

from plyscribe.domain.aggregate import Aggregate, declare
from plyscribe.domain.codec import Event
from plyscribe.domain.commands import Command
from plyscribe.domain.errors import WrongTime
from plyscribe.domain.names import fold_name


def name_stream(name: str) -> str:
    """The id of the stream that says whose name this is. Names that are compared as equal have the same one."""
    digest = sha256(f"name\n{fold_name(name)}".encode()).digest()
    return f"name-{b32encode(digest).decode().lower()[:26]}"


@dataclass(frozen=True, slots=True)
class NameClaimed:
    """The name is kept for this account, which is opened next, or was opened at `since` (UTC milliseconds)."""

    type: ClassVar[str] = "name-claimed"
    player: str
    since: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimName(Command):
    """Keep a free name for an account that is about to be opened."""

    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignName(Command):
    """Give a name to an account that has it already, since `since`, unless an older account has it."""

    player: str
    since: int


@dataclass(frozen=True, slots=True)
class Name:
    """A name folded up to `version`: the account that has it, or may have it, since when ("" and 0 at version 0)."""

    stream: str
    version: int = 0
    head: bytes = b""
    player: str = ""
    since: int = 0


def _evolve(name: Name, _: Event, data: NameClaimed) -> Name:
    return replace(name, player=data.player, since=data.since)


def _decide_claim(command: ClaimName, name: Name) -> list[Any]:
    if name.version:
        raise WrongTime("player/name-taken", "another player has this name")
    return [NameClaimed(command.player, command.at)]


def _decide_assign(command: AssignName, name: Name) -> list[Any]:
    if name.version and not is_older(command, name):
        raise WrongTime("player/name-taken", "an older account has this name")
    return [NameClaimed(command.player, command.since)]


def is_older(account: AssignName, name: Name) -> bool:
    """Whether the account has had the name for longer than the one that it is kept for."""
    return account.player != name.player and (account.since, account.player) < (name.since, name.player)


NAME: Aggregate[Name] = declare(
    "name", Name, NameClaimed, _evolve, {ClaimName: _decide_claim, AssignName: _decide_assign}
)
