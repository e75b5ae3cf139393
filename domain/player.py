"""A player: the account of a person or a bot, and the tokens that act for it. Names stay in this stream alone."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

from plyscribe.domain.aggregate import Aggregate, declare
from plyscribe.domain.codec import Event
from plyscribe.domain.commands import Command
from plyscribe.domain.errors import FoldError, Unknown, WrongPerson, WrongTime, WrongValue

KINDS = ("person", "bot")
SCOPES = ("play", "record", "organise", "admin")
MAX_NAME_LENGTH = 64
MAX_TOKENS = 100
MAX_TOKEN_LIFE_MS = 10 * 365 * 24 * 3600 * 1000
MAX_OVERLAP_MS = 7 * 24 * 3600 * 1000
TOKEN_ID_LENGTH = 16
"""Hex digits of a token's digest that name it."""


@dataclass(frozen=True, slots=True)
class PlayerRegistered:
    """The account exists, under a display name."""

    type: ClassVar[str] = "player-registered"
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class TokenIssued:
    """A token whose SHA-256 is `digest` (hex) may do what `scopes` say, until `expires_at` (None: for good)."""

    type: ClassVar[str] = "token-issued"
    digest: str
    scopes: tuple[str, ...]
    label: str | None = None
    expires_at: int | None = None


@dataclass(frozen=True, slots=True)
class TokenRevoked:
    """The token ends at `ends_at` (UTC milliseconds), unless it was to expire before."""

    type: ClassVar[str] = "token-revoked"
    digest: str
    ends_at: int


PlayerEvent = PlayerRegistered | TokenIssued | TokenRevoked


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterPlayer(Command):
    """Open an account with a first token, given by the SHA-256 of its text."""

    name: str
    kind: str = "person"
    scopes: tuple[str, ...]
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueToken(Command):
    """Issue a further token, asked for with the token of digest `under` (None: by an administrator or operator).

    It covers no more than `under` and lives no longer. With `revoke_others` all other tokens end at once.
    """

    digest: str
    scopes: tuple[str, ...]
    label: str | None = None
    lives_ms: int | None = None
    under: str | None = None
    revoke_others: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RotateToken(Command):
    """Issue a successor of the token of digest `under`, which ends `overlap_ms` later.

    The successor covers the same and lives as long as its predecessor was meant to, unless `lives_ms` says less.
    """

    under: str
    digest: str
    lives_ms: int | None = None
    overlap_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeToken(Command):
    """End the token of this id at once."""

    token: str


class Token(NamedTuple):
    """What a token may do, and its times in UTC milliseconds; `lives_ms` is how long it was meant to live."""

    scopes: tuple[str, ...]
    label: str | None
    issued_at: int
    expires_at: int | None
    lives_ms: int | None

    def is_valid(self, now_ms: int) -> bool:
        """Whether it has not expired."""
        return self.expires_at is None or now_ms < self.expires_at


def token_id(digest: str) -> str:
    """What a token is called: it says nothing of its secret."""
    return digest[:TOKEN_ID_LENGTH]


@dataclass(frozen=True, slots=True)
class Player:
    """An account folded up to `version`; `tokens` are those that had not ended by the last event, by their digest."""

    stream: str
    version: int = 0
    head: bytes = b""
    name: str = ""
    kind: str = ""
    registered_at: int = 0
    tokens: dict[str, Token] = field(default_factory=dict)


def _evolve(player: Player, event: Event, data: PlayerEvent) -> Player:
    match data:
        case PlayerRegistered(name, kind):
            return replace(player, name=name, kind=kind, registered_at=event.at)
        case TokenIssued(digest, scopes, label, expires_at):
            lives_ms = None if expires_at is None else expires_at - event.at
            token = Token(scopes, label, event.at, expires_at, lives_ms)
            return _with_tokens(player, event.at, {**player.tokens, digest: token})
        case TokenRevoked(digest, ends_at):
            if digest not in player.tokens:
                raise FoldError(event.version, "there is no such token")
            token = player.tokens[digest]
            ending = token._replace(expires_at=min(ends_at, token.expires_at or ends_at))
            return _with_tokens(player, event.at, {**player.tokens, digest: ending})


def _with_tokens(player: Player, at: int, tokens: dict[str, Token]) -> Player:
    return replace(player, tokens={digest: token for digest, token in tokens.items() if token.is_valid(at)})


def _decide_register(command: RegisterPlayer, _: Player) -> list[Any]:
    _check_name(command.name)
    if command.kind not in KINDS:
        raise WrongValue("player/kind", f"kind is {command.kind!r}; allowed: {', '.join(KINDS)}")
    first = TokenIssued(command.digest, _parse_scopes(command.scopes), None, None)
    return [PlayerRegistered(command.name, command.kind), first]


def _decide_issue(command: IssueToken, player: Player) -> list[Any]:
    scopes = _parse_scopes(command.scopes)
    _check_label(command.label)
    _check_life(command.lives_ms)
    expires_at = None if command.lives_ms is None else command.at + command.lives_ms
    if command.under is not None:
        expires_at = _limit_by(_find_valid(player, command.under, command.at), scopes, expires_at)
    valid = [digest for digest, token in player.tokens.items() if token.is_valid(command.at)]
    ends = [TokenRevoked(digest, command.at) for digest in valid] if command.revoke_others else []
    _require_room(len(valid) - len(ends))
    return [TokenIssued(command.digest, scopes, command.label, expires_at), *ends]


def _limit_by(asking: Token, scopes: tuple[str, ...], expires_at: int | None) -> int | None:
    """When a token expires that one with `asking` issues; WrongPerson, WrongValue where it would be more than that."""
    if not set(scopes) <= set(asking.scopes):
        raise WrongPerson("token/scopes", f"your token covers {', '.join(asking.scopes)}, so it cannot issue more")
    if asking.expires_at is not None and expires_at is not None and expires_at > asking.expires_at:
        raise WrongValue("token/expiry", f"your token expires at {asking.expires_at}, so it cannot issue a longer one")
    return asking.expires_at if expires_at is None else expires_at


def _decide_rotate(command: RotateToken, player: Player) -> list[Any]:
    old = _find_valid(player, command.under, command.at)
    _check_life(command.lives_ms)
    lives_ms = old.lives_ms if command.lives_ms is None else command.lives_ms
    if old.lives_ms is not None and lives_ms is not None and lives_ms > old.lives_ms:
        raise WrongValue("token/expiry", f"your token lives {old.lives_ms} ms, so its successor cannot live longer")
    if not 0 <= command.overlap_ms <= MAX_OVERLAP_MS:
        raise WrongValue("token/overlap", f"both are valid for at most {MAX_OVERLAP_MS} ms")
    _require_room(sum(token.is_valid(command.at) for token in player.tokens.values()) - (command.overlap_ms == 0))
    expires_at = None if lives_ms is None else command.at + lives_ms
    successor = TokenIssued(command.digest, old.scopes, old.label, expires_at)
    return [successor, TokenRevoked(command.under, command.at + command.overlap_ms)]


def _decide_revoke(command: RevokeToken, player: Player) -> list[Any]:
    named = [digest for digest in player.tokens if token_id(digest) == command.token]
    if not named or not player.tokens[named[0]].is_valid(command.at):
        raise Unknown("token/unknown", f"the account has no token {command.token[:TOKEN_ID_LENGTH]}")
    return [TokenRevoked(named[0], command.at)]


def _find_valid(player: Player, digest: str, at: int) -> Token:
    token = player.tokens.get(digest)
    if token is None or not token.is_valid(at):
        raise WrongPerson("token/over", "your token has ended: it can issue none")
    return token


def _require_room(valid: int) -> None:
    if valid >= MAX_TOKENS:
        raise WrongTime("token/too-many", f"an account has at most {MAX_TOKENS} tokens: revoke some first")


def _parse_scopes(scopes: tuple[str, ...]) -> tuple[str, ...]:
    if not scopes or not set(scopes) <= set(SCOPES):
        raise WrongValue("player/scopes", f"scopes are some of {', '.join(SCOPES)}")
    return tuple(scope for scope in SCOPES if scope in scopes)


def _check_label(label: str | None) -> None:
    if label is not None and not (1 <= len(label) <= MAX_NAME_LENGTH and is_printable(label)):
        raise WrongValue("token/label", f"a label is 1 to {MAX_NAME_LENGTH} printable characters")


def _check_life(lives_ms: int | None) -> None:
    if lives_ms is not None and not 0 < lives_ms <= MAX_TOKEN_LIFE_MS:
        raise WrongValue("token/expiry", "a token lives for at most ten years")


def is_printable(text: str) -> bool:
    """Whether all characters show something, or join others that do (zero-width joiners, as some scripts need)."""
    return all(character.isprintable() or character in "\u200c\u200d" for character in text)


def _check_name(name: str) -> None:
    if not (1 <= len(name) <= MAX_NAME_LENGTH and is_printable(name) and name == name.strip()):
        raise WrongValue(
            "player/name", f"a name is 1 to {MAX_NAME_LENGTH} printable characters, without space at its ends"
        )


PLAYER: Aggregate[Player] = declare(
    "player",
    Player,
    PlayerEvent,
    _evolve,
    {
        RegisterPlayer: _decide_register,
        IssueToken: _decide_issue,
        RotateToken: _decide_rotate,
        RevokeToken: _decide_revoke,
    },
    opener=RegisterPlayer,
    first=PlayerRegistered,
)
