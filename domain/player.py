"""A player: the account of a person or a bot, and the tokens that act for it. Names stay in this stream alone."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from domain.chain import StoredEvent, check_chain, first_link
from domain.commands import Command
from domain.errors import FoldError, WrongTime, WrongValue
from domain.events import Event, parse_event

KINDS = ("person", "bot")
SCOPES = ("play", "record", "organise", "admin")
MAX_NAME_LENGTH = 64


@dataclass(frozen=True, slots=True)
class PlayerRegistered:
    """The account exists, under a display name."""

    type: ClassVar[str] = "player-registered"
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class TokenIssued:
    """A token whose SHA-256 is `digest` (hex) may do what `scopes` say."""

    type: ClassVar[str] = "token-issued"
    digest: str
    scopes: tuple[str, ...]


PLAYER_EVENT_TYPES: dict[str, type[Any]] = {kind.type: kind for kind in (PlayerRegistered, TokenIssued)}
"""Every event type of a player by its word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterPlayer(Command):
    """Open an account with a first token, given by the SHA-256 of its text."""

    name: str
    kind: str = "person"
    scopes: tuple[str, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class Player:
    """An account folded up to `version`; `tokens` maps the digest of each valid token to its scopes."""

    stream: str
    version: int = 0
    head: bytes = b""
    name: str = ""
    kind: str = ""
    registered_at: int = 0
    tokens: dict[str, tuple[str, ...]] = field(default_factory=dict)


def fold_player(player: Player, entries: Iterable[StoredEvent]) -> Player:
    """The account after these stored events; StreamError where one cannot be read or does not follow."""
    for entry in entries:
        head = check_chain(player.head or first_link(player.stream), player.version, [entry])
        player = replace(evolve_player(player, parse_event(entry, PLAYER_EVENT_TYPES)), head=head)
    return player


def evolve_player(player: Player, event: Event) -> Player:
    """The account after one event."""
    data: Any = event.data
    player = replace(player, version=event.version)
    match data:
        case PlayerRegistered(name, kind):
            return replace(player, name=name, kind=kind, registered_at=event.at)
        case TokenIssued(digest, scopes):
            return replace(player, tokens={**player.tokens, digest: scopes})
    raise FoldError(event.version, f"{data.type} is no event of a player")


def decide_player(command: RegisterPlayer, player: Player) -> list[Event]:
    """The events of a new account; WrongValue names what cannot be, WrongTime that the account exists."""
    if player.version:
        raise WrongTime("player/exists", f"the account {player.stream} exists")
    _check_name(command.name)
    if command.kind not in KINDS:
        raise WrongValue("player/kind", f"kind is {command.kind!r}; allowed: {', '.join(KINDS)}")
    if not command.scopes or not set(command.scopes) <= set(SCOPES):
        raise WrongValue("player/scopes", f"scopes are some of {', '.join(SCOPES)}")
    scopes = tuple(scope for scope in SCOPES if scope in command.scopes)
    facts: list[Any] = [PlayerRegistered(command.name, command.kind), TokenIssued(command.digest, scopes)]
    by = str(command.actor)
    return [Event(version, command.at, by, command.id, data) for version, data in enumerate(facts, 1)]


def is_printable(text: str) -> bool:
    """Whether all characters show something, or join others that do (zero-width joiners, as some scripts need)."""
    return all(character.isprintable() or character in "\u200c\u200d" for character in text)


def _check_name(name: str) -> None:
    if not (1 <= len(name) <= MAX_NAME_LENGTH and is_printable(name) and name == name.strip()):
        raise WrongValue(
            "player/name", f"a name is 1 to {MAX_NAME_LENGTH} printable characters, without space at its ends"
        )
