"""A player: the account of a person or a bot, with its tokens, the sessions of its browsers, and its webhooks.

Names are stored in this stream and nowhere else. That no two accounts have the same name is the matter of
`plyscribe.domain.names`.
"""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

from plyscribe.domain.aggregate import Aggregate, Opening, declare
from plyscribe.domain.codec import Event
from plyscribe.domain.commands import Command
from plyscribe.domain.errors import FoldError, Unknown, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.names import MAX_NAME_LENGTH, is_printable, require_name
from plyscribe.domain.webhooks import (
    AddWebhook,
    ChangeWebhook,
    DisableWebhook,
    PingWebhook,
    RemoveWebhook,
    ReplaceWebhookSecret,
    WebhookEvent,
    Webhooks,
    decide_webhook,
    evolve_webhooks,
)

KINDS = ("person", "bot")
SCOPES = ("play", "record", "organise", "admin")
PERSONAL = ("play", "record")
"""What the token of a person who signs up covers."""

MAX_TOKENS = 100
MAX_SESSIONS = 20
SESSION_LIFE_MS = 30 * 24 * 3600 * 1000
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
    """A token is issued: `digest` is its SHA-256 in hex. It covers `scopes` until `expires_at` (None: for ever).

    If `session_of` is the digest of a token, this is the session of a browser, made with that token. It ends with it.
    """

    type: ClassVar[str] = "token-issued"
    digest: str
    scopes: tuple[str, ...]
    label: str | None = None
    expires_at: int | None = None
    session_of: str | None = None


@dataclass(frozen=True, slots=True)
class TokenRevoked:
    """The token ends at `ends_at` (UTC milliseconds), unless it expires earlier."""

    type: ClassVar[str] = "token-revoked"
    digest: str
    ends_at: int


@dataclass(frozen=True, slots=True)
class RecoveryCodeSet:
    """The account has a new recovery code, and no other: `digest` is its SHA-256 in hex.

    Whoever has it gets a token with `scopes`, until `expires_at` (None: for ever), which the token expires at too.
    """

    type: ClassVar[str] = "recovery-code-set"
    digest: str
    scopes: tuple[str, ...]
    expires_at: int | None


@dataclass(frozen=True, slots=True)
class RecoveryCodeUsed:
    """The recovery code was used, or ended otherwise: the account has none."""

    type: ClassVar[str] = "recovery-code-used"


@dataclass(frozen=True, slots=True)
class RatedMatchAborted:
    """At `aborted_at` (UTC milliseconds) the player left a rated match that had started, before it counted."""

    type: ClassVar[str] = "rated-match-aborted"
    match: str
    aborted_at: int


@dataclass(frozen=True, slots=True)
class OrganiserAppointed:
    """An administrator made the account an organiser: its browsers may announce and run tournaments."""

    type: ClassVar[str] = "organiser-appointed"


@dataclass(frozen=True, slots=True)
class OrganiserDismissed:
    """The account is an organiser no longer."""

    type: ClassVar[str] = "organiser-dismissed"


PlayerEvent = (
    PlayerRegistered
    | TokenIssued
    | TokenRevoked
    | RecoveryCodeSet
    | RecoveryCodeUsed
    | RatedMatchAborted
    | OrganiserAppointed
    | OrganiserDismissed
    | WebhookEvent
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterPlayer(Command):
    """Open an account with a first token; `digest` is the SHA-256 of its text.

    With `session`, the digest of another text, a browser called `browser` is signed in with that token at once. With
    `recovery`, the digest of a recovery code, the account has that code. Only an `official` account, which the operator
    opens, can have a name that stands for the service.
    """

    name: str
    kind: str = "person"
    scopes: tuple[str, ...]
    digest: str
    session: str | None = None
    browser: str | None = None
    recovery: str | None = None
    official: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueToken(Command):
    """Issue another token, with the token of digest `under` (None: as an administrator or operator).

    The new token has the same or fewer scopes than `under`, and does not outlive it. With `revoke_others`, all other
    tokens end at once, and so does the recovery code.
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
class SetRecoveryCode(Command):
    """Give the account a recovery code in the place of the one that it has; `digest` is the SHA-256 of its text.

    It covers what the token or session of digest `under` covers, and does not outlive its token.
    """

    under: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoverAccount(Command):
    """Issue a token of `digest` to somebody with the recovery code of digest `code`, which `recovery` replaces.

    With `revoke_others`, all other tokens and all sessions end at once.
    """

    code: str
    digest: str
    recovery: str
    label: str | None = None
    revoke_others: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeToken(Command):
    """End the token with this id at once."""

    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AppointOrganiser(Command):
    """Make the account an organiser; the caller has checked that an administrator asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DismissOrganiser(Command):
    """Make the account an organiser no longer; the caller has checked that an administrator asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRatedAbort(Command):
    """Note, once for each match, that the player aborted a rated match; see RatedMatchAborted."""

    match: str
    aborted_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginSession(Command):
    """Sign a browser in with the token of digest `under`; `digest` is the SHA-256 of the session's text.

    The session has the token's scopes. It ends after SESSION_LIFE_MS, or with the token if that is earlier. If the
    account has MAX_SESSIONS already, the oldest one ends.
    """

    under: str
    digest: str
    browser: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndSessions(Command):
    """End all sessions of the account at once."""


class Token(NamedTuple):
    """A token's scopes, and its times in UTC milliseconds; `lives_ms` is its lifetime as issued.

    `session_of` is the digest of the token that a session was made with; None for a token.
    """

    scopes: tuple[str, ...]
    label: str | None
    issued_at: int
    expires_at: int | None
    lives_ms: int | None
    session_of: str | None = None

    def is_valid(self, now_ms: int) -> bool:
        """Whether it has not expired."""
        return self.expires_at is None or now_ms < self.expires_at


class RecoveryCode(NamedTuple):
    """A recovery code: its digest, the scopes of the token that it brings, and its times in UTC milliseconds."""

    digest: str
    scopes: tuple[str, ...]
    made_at: int
    expires_at: int | None

    def is_valid(self, now_ms: int) -> bool:
        """Whether it has not expired."""
        return self.expires_at is None or now_ms < self.expires_at


def token_id(digest: str) -> str:
    """The public id of a token, which reveals nothing about its secret."""
    return digest[:TOKEN_ID_LENGTH]


@dataclass(frozen=True, slots=True)
class Player:
    """An account folded up to `version`.

    `tokens` are its tokens and sessions that had not ended at its last event, by digest, in the order of their issue.
    """

    stream: str
    version: int = 0
    head: bytes = b""
    name: str = ""
    kind: str = ""
    registered_at: int = 0
    tokens: dict[str, Token] = field(default_factory=dict)
    recovery: RecoveryCode | None = None
    aborts: dict[str, int] = field(default_factory=dict)
    """The rated matches that it aborted, each with the time (UTC milliseconds)."""

    webhooks: Webhooks = field(default_factory=dict)
    is_organiser: bool = False
    """Whether an administrator made it an organiser."""

    def scopes_of(self, token: Token) -> tuple[str, ...]:
        """What a token or session of the account covers.

        The browsers of an organiser cover `organise` too, but only if they were signed in with a token that covers all
        that a person signs up with. A token that was given to a program or a tablet for less never leads to more.
        """
        covers = token.session_of is not None and set(PERSONAL) <= set(token.scopes)
        if not (self.is_organiser and covers) or "organise" in token.scopes:
            return token.scopes
        return _parse_scopes((*token.scopes, "organise"))


def _evolve(player: Player, event: Event, data: PlayerEvent) -> Player:
    match data:
        case PlayerRegistered(name, kind):
            return replace(player, name=name, kind=kind, registered_at=event.at)
        case TokenIssued(digest, scopes, label, expires_at, session_of):
            lives_ms = None if expires_at is None else expires_at - event.at
            token = Token(scopes, label, event.at, expires_at, lives_ms, session_of)
            return _with_tokens(player, event.at, {**player.tokens, digest: token})
        case TokenRevoked(digest, ends_at):
            if digest not in player.tokens:
                if ends_at > event.at:
                    raise FoldError(event.version, "there is no such token")
                # Earlier releases revoked sessions that had ended just before, with their token.
                return player
            tokens = {
                each: _end(token, ends_at) if digest in (each, token.session_of) else token
                for each, token in player.tokens.items()
            }
            return _with_tokens(player, event.at, tokens)
        case RecoveryCodeSet(digest, scopes, expires_at):
            return replace(player, recovery=RecoveryCode(digest, scopes, event.at, expires_at))
        case RecoveryCodeUsed():
            return replace(player, recovery=None)
        case RatedMatchAborted(match, aborted_at):
            return replace(player, aborts={**player.aborts, match: aborted_at})
        case OrganiserAppointed():
            return replace(player, is_organiser=True)
        case OrganiserDismissed():
            return replace(player, is_organiser=False)
        case _:
            webhooks = evolve_webhooks(player.webhooks, event.version, event.at, data)
            if webhooks is None:
                raise FoldError(event.version, "there is no such webhook")
            return replace(player, webhooks=webhooks)


def _end(token: Token, ends_at: int) -> Token:
    return token._replace(expires_at=min(ends_at, token.expires_at or ends_at))


def _with_tokens(player: Player, at: int, tokens: dict[str, Token]) -> Player:
    return replace(player, tokens={digest: token for digest, token in tokens.items() if token.is_valid(at)})


def _decide_register(command: RegisterPlayer, _: Player) -> list[Any]:
    require_name(command.name, command.official)
    if command.kind not in KINDS:
        raise WrongValue("player/kind", f"the kind is {command.kind!r}; allowed: {', '.join(KINDS)}")
    first = TokenIssued(command.digest, _parse_scopes(command.scopes), None, None)
    facts: list[Any] = [PlayerRegistered(command.name, command.kind), first]
    if command.session is not None:
        facts.append(_make_session(command, command.session, command.browser, command.digest, first))
    if command.recovery is not None:
        facts.append(RecoveryCodeSet(command.recovery, first.scopes, None))
    return facts


def _make_session(
    command: Command, digest: str, browser: str | None, under: str, token: Token | TokenIssued
) -> TokenIssued:
    _check_label(browser)
    expires_at = min(command.at + SESSION_LIFE_MS, token.expires_at or command.at + SESSION_LIFE_MS)
    return TokenIssued(digest, token.scopes, browser, expires_at, session_of=under)


def _decide_begin_session(command: BeginSession, player: Player) -> list[Any]:
    token = _find_valid(player, command.under, command.at)
    session = _make_session(command, command.digest, command.browser, command.under, token)
    sessions = _list_sessions(player, command.at)
    return [
        *(TokenRevoked(digest, command.at) for digest in sessions[: max(0, len(sessions) - MAX_SESSIONS + 1)]),
        session,
    ]


def _decide_end_sessions(command: EndSessions, player: Player) -> list[Any]:
    sessions = _list_sessions(player, command.at)
    if not sessions:
        raise WrongTime("session/none", "no browser is signed in with this account")
    return [TokenRevoked(digest, command.at) for digest in sessions]


def _list_sessions(player: Player, at: int) -> list[str]:
    """The digests of the sessions that are valid, oldest first."""
    return [digest for digest, token in player.tokens.items() if token.session_of and token.is_valid(at)]


def _count_tokens(player: Player, at: int) -> int:
    return sum(token.is_valid(at) for token in player.tokens.values() if token.session_of is None)


def _decide_issue(command: IssueToken, player: Player) -> list[Any]:
    scopes = _parse_scopes(command.scopes)
    _check_label(command.label)
    _check_life(command.lives_ms)
    expires_at = None if command.lives_ms is None else command.at + command.lives_ms
    if command.under is not None:
        expires_at = _limit_by(_find_valid(player, command.under, command.at), scopes, expires_at)
    ends = _end_others(command, player)
    if command.revoke_others and player.recovery is not None:
        ends.append(RecoveryCodeUsed())
    return [TokenIssued(command.digest, scopes, command.label, expires_at), *ends]


def _end_others(command: IssueToken | RecoverAccount, player: Player) -> list[Any]:
    """The ends of all tokens, and so of all sessions, if they are asked for; WrongTime without room for another."""
    if not command.revoke_others:
        _require_room(_count_tokens(player, command.at))
        return []
    # Sessions end with their tokens.
    return [
        TokenRevoked(digest, command.at)
        for digest, token in player.tokens.items()
        if token.is_valid(command.at) and token.session_of is None
    ]


def _decide_set_code(command: SetRecoveryCode, player: Player) -> list[Any]:
    asking = player.tokens.get(command.under)
    token = player.tokens.get(asking.session_of) if asking and asking.session_of else asking
    if asking is None or token is None or not (asking.is_valid(command.at) and token.is_valid(command.at)):
        raise WrongPerson("token/over", "your token has ended and cannot make a recovery code")
    return [RecoveryCodeSet(command.digest, asking.scopes, token.expires_at)]


def _decide_recover(command: RecoverAccount, player: Player) -> list[Any]:
    code = player.recovery
    if code is None or code.digest != command.code or not code.is_valid(command.at):
        raise refuse_recovery()
    _check_label(command.label)
    ends = _end_others(command, player)
    issued = TokenIssued(command.digest, code.scopes, command.label, code.expires_at)
    return [RecoveryCodeUsed(), issued, *ends, RecoveryCodeSet(command.recovery, code.scopes, code.expires_at)]


def refuse_recovery() -> WrongPerson:
    """The refusal of any name and recovery code that do not belong together, whatever is wrong with them."""
    why = "this name and this recovery code do not belong together, or the code was used or replaced"
    return WrongPerson("recovery/refused", why)


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
    _require_room(_count_tokens(player, command.at) - (command.overlap_ms == 0))
    expires_at = None if lives_ms is None else command.at + lives_ms
    successor = TokenIssued(command.digest, old.scopes, old.label, expires_at)
    return [successor, TokenRevoked(command.under, command.at + command.overlap_ms)]


def _decide_revoke(command: RevokeToken, player: Player) -> list[Any]:
    named = [digest for digest in player.tokens if token_id(digest) == command.token]
    if not named or not player.tokens[named[0]].is_valid(command.at):
        raise Unknown("token/unknown", f"the account has no token {command.token[:TOKEN_ID_LENGTH]}")
    return [TokenRevoked(named[0], command.at)]


def _decide_note_abort(command: NoteRatedAbort, player: Player) -> list[Any]:
    # The store remembers commands too, but streams may be restored without them.
    if command.match in player.aborts:
        raise WrongTime("rated/noted", f"it is noted already that {player.stream} aborted {command.match}")
    return [RatedMatchAborted(command.match, command.aborted_at)]


def _decide_appoint(_: AppointOrganiser, player: Player) -> list[Any]:
    if player.is_organiser:
        raise WrongTime("organiser/appointed", f"{player.name} is an organiser already")
    return [OrganiserAppointed()]


def _decide_dismiss(_: DismissOrganiser, player: Player) -> list[Any]:
    if not player.is_organiser:
        raise WrongTime("organiser/not-appointed", f"{player.name} is not an organiser")
    return [OrganiserDismissed()]


def _decide_webhook(command: Command, player: Player) -> list[Any]:
    return decide_webhook(command, player.webhooks)


def _find_valid(player: Player, digest: str, at: int) -> Token:
    token = player.tokens.get(digest)
    if token is None or not token.is_valid(at):
        raise WrongPerson("token/over", "your token has ended and cannot issue tokens")
    if token.session_of is not None:
        raise WrongPerson("token/session", "a signed-in browser cannot issue tokens: send a token")
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


PLAYER: Aggregate[Player] = declare(
    "player",
    Player,
    PlayerEvent,
    _evolve,
    {
        RegisterPlayer: _decide_register,
        IssueToken: _decide_issue,
        RotateToken: _decide_rotate,
        SetRecoveryCode: _decide_set_code,
        RecoverAccount: _decide_recover,
        RevokeToken: _decide_revoke,
        NoteRatedAbort: _decide_note_abort,
        AppointOrganiser: _decide_appoint,
        DismissOrganiser: _decide_dismiss,
        BeginSession: _decide_begin_session,
        EndSessions: _decide_end_sessions,
        AddWebhook: _decide_webhook,
        ChangeWebhook: _decide_webhook,
        DisableWebhook: _decide_webhook,
        ReplaceWebhookSecret: _decide_webhook,
        PingWebhook: _decide_webhook,
        RemoveWebhook: _decide_webhook,
    },
    Opening(RegisterPlayer, exists="player/exists", unknown="player/unknown"),
    first=PlayerRegistered,
)
