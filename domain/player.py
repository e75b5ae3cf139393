"""A player: the account of a person or a bot, and its tokens. Names are stored in this stream and nowhere else."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

from plyscribe.domain.aggregate import Aggregate, Opening, declare
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
"""The number of hex digits of a token's digest that make its id."""


@dataclass(frozen=True, slots=True)
class PlayerRegistered:
    """The account is opened under a display name."""

    type: ClassVar[str] = "player-registered"
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class TokenIssued:
    """A token is issued: `digest` is its SHA-256 in hex. It covers `scopes` until `expires_at` (None: for ever)."""

    type: ClassVar[str] = "token-issued"
    digest: str
    scopes: tuple[str, ...]
    label: str | None = None
    expires_at: int | None = None


@dataclass(frozen=True, slots=True)
class TokenRevoked:
    """The token ends at `ends_at` (UTC milliseconds), unless it expires earlier."""

    type: ClassVar[str] = "token-revoked"
    digest: str
    ends_at: int


PlayerEvent = PlayerRegistered | TokenIssued | TokenRevoked


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterPlayer(Command):
    """Open an account with a first token; `digest` is the SHA-256 of its text."""

    name: str
    kind: str = "person"
    scopes: tuple[str, ...]
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueToken(Command):
    """Issue another token, with the token of digest `under` (None: as an administrator or operator).

    The new token has the same or fewer scopes than `under`, and does not outlive it. With `revoke_others`, all other
    tokens end at once.
    """

    digest: str
    scopes: tuple[str, ...]
    label: str | None = None
    lives_ms: int | None = None
    under: str | None = None
    revoke_others: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RotateToken(Command):
    """Issue a successor of the token of digest `under`, which then ends after `overlap_ms`.

    The successor has the same scopes and the same lifetime, or a shorter one if `lives_ms` says so.
    """

    under: str
    digest: str
    lives_ms: int | None = None
    overlap_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeToken(Command):
    """End the token with this id at once."""

    token: str


class Token(NamedTuple):
    """A token's scopes, and its times in UTC milliseconds; `lives_ms` is its lifetime as issued."""

    scopes: tuple[str, ...]
    label: str | None
    issued_at: int
    expires_at: int | None
    lives_ms: int | None

    def is_valid(self, now_ms: int) -> bool:
        """Whether it has not expired."""
        return self.expires_at is None or now_ms < self.expires_at


def token_id(digest: str) -> str:
    """The public id of a token, which reveals nothing about its secret."""
    return digest[:TOKEN_ID_LENGTH]


@dataclass(frozen=True, slots=True)
class Player:
    """An account folded up to `version`; `tokens` are those that had not ended at its last event, by digest."""

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
        raise WrongValue("player/kind", f"the kind is {command.kind!r}; allowed: {', '.join(KINDS)}")
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
    """When a token issued with `asking` expires; WrongPerson or WrongValue if it would get more than `asking` has."""
    if not set(scopes) <= set(asking.scopes):
        why = f"your token can issue tokens with its own scopes only: {', '.join(asking.scopes)}"
        raise WrongPerson("token/scopes", why)
    if asking.expires_at is not None and expires_at is not None and expires_at > asking.expires_at:
        why = f"your token expires at {asking.expires_at} and cannot issue one that outlives it"
        raise WrongValue("token/expiry", why)
    return asking.expires_at if expires_at is None else expires_at


def _decide_rotate(command: RotateToken, player: Player) -> list[Any]:
    old = _find_valid(player, command.under, command.at)
    _check_life(command.lives_ms)
    lives_ms = old.lives_ms if command.lives_ms is None else command.lives_ms
    if old.lives_ms is not None and lives_ms is not None and lives_ms > old.lives_ms:
        why = f"your token has a lifetime of {old.lives_ms} ms, and its successor cannot have a longer one"
        raise WrongValue("token/expiry", why)
    if not 0 <= command.overlap_ms <= MAX_OVERLAP_MS:
        raise WrongValue("token/overlap", f"both tokens can be valid for at most {MAX_OVERLAP_MS} ms")
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
        raise WrongPerson("token/over", "your token has ended and cannot issue tokens")
    return token


def _require_room(valid: int) -> None:
    if valid >= MAX_TOKENS:
        raise WrongTime("token/too-many", f"an account can have {MAX_TOKENS} tokens: revoke some first")


def _parse_scopes(scopes: tuple[str, ...]) -> tuple[str, ...]:
    if not scopes or not set(scopes) <= set(SCOPES):
        raise WrongValue("player/scopes", f"scopes must be one or more of {', '.join(SCOPES)}")
    return tuple(scope for scope in SCOPES if scope in scopes)


def _check_label(label: str | None) -> None:
    if label is not None and not (1 <= len(label) <= MAX_NAME_LENGTH and is_printable(label)):
        raise WrongValue("token/label", f"a label must have 1 to {MAX_NAME_LENGTH} printable characters")


def _check_life(lives_ms: int | None) -> None:
    if lives_ms is not None and not 0 < lives_ms <= MAX_TOKEN_LIFE_MS:
        raise WrongValue("token/expiry", "a token must have a lifetime of at most ten years")


def is_printable(text: str) -> bool:
    """Whether all characters are printable, or the zero-width joiners that some scripts need."""
    return all(character.isprintable() or character in "\u200c\u200d" for character in text)


def _check_name(name: str) -> None:
    if not (1 <= len(name) <= MAX_NAME_LENGTH and is_printable(name) and name == name.strip()):
        why = f"a name must have 1 to {MAX_NAME_LENGTH} printable characters, and no space at either end"
        raise WrongValue("player/name", why)


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
    Opening(RegisterPlayer, exists="player/exists", unknown="player/unknown"),
    first=PlayerRegistered,
)
