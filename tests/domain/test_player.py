"""Accounts: what is recorded of them, and what cannot be."""

import pytest

from plyscribe.domain.chain import first_link, link_all
from plyscribe.domain.codec import Event, format_event
from plyscribe.domain.commands import Actor, Command
from plyscribe.domain.errors import FoldError, Refusal, Unknown, WrongValue
from plyscribe.domain.player import (
    MAX_OVERLAP_MS,
    MAX_TOKEN_LIFE_MS,
    MAX_TOKENS,
    PLAYER,
    SESSION_LIFE_MS,
    BeginSession,
    IssueToken,
    Player,
    PlayerRegistered,
    RecoverAccount,
    RecoveryCode,
    RecoveryCodeSet,
    RecoveryCodeUsed,
    RegisterPlayer,
    RevokeToken,
    RotateToken,
    SetRecoveryCode,
    Token,
    TokenIssued,
    TokenRevoked,
)

STREAM = "player-" + "a" * 26


def register(**changed: object) -> RegisterPlayer:
    given = {"name": "Ada", "scopes": ("play",), "digest": "00", "actor": Actor("system", "sign-up"), "at": 7}
    return RegisterPlayer(**{**given, **changed})


def stored(events: list[Event]):
    return link_all(first_link(STREAM), 1, map(format_event, events))


def test_an_account_is_a_name_a_kind_and_a_token():
    events = PLAYER.decide(register(scopes=("record", "play"), kind="bot"), Player(STREAM)).events
    issued = TokenIssued("00", ("play", "record"), None, None)
    assert [event.data for event in events] == [PlayerRegistered("Ada", "bot"), issued]
    player = PLAYER.fold(Player(STREAM), stored(events))
    assert (player.version, player.name, player.kind, player.registered_at) == (2, "Ada", "bot", 7)
    assert player.tokens == {"00": Token(("play", "record"), None, 7, None, None)}


@pytest.mark.parametrize(
    "changed", [{"name": " Ada"}, {"kind": "builtin"}, {"scopes": ()}, {"scopes": ("play", "rule")}]
)
def test_what_no_account_can_be_is_refused(changed):
    with pytest.raises(WrongValue):
        PLAYER.decide(register(**changed), Player(STREAM))


# ------------------------------------------------------------------------------------------------------------ tokens

ROOT = Actor("player", "player-" + "r" * 26)
ADA = Actor("player", STREAM)


class Account:
    """An account under test, opened at 7 with the token `first`; what is carried out is appended, as a store would."""

    def __init__(self, scopes: tuple[str, ...] = ("play", "record")) -> None:
        self.player = Player(STREAM)
        self.entries = []
        self.when(RegisterPlayer, 7, name="Ada", digest="first", scopes=scopes)

    def when(self, command: type[Command], at: int, actor: Actor = ADA, **fields: object) -> list[object]:
        events = PLAYER.decide(command(actor=actor, at=at, id=f"{at:032x}", **fields), self.player).events
        start = self.player.head or first_link(STREAM)
        new = link_all(start, self.player.version + 1, map(format_event, events))
        self.player = PLAYER.fold(self.player, new)
        self.entries += new
        return [event.data for event in events]

    def refused(self, command: type[Command], at: int, **fields: object) -> str:
        with pytest.raises(Refusal) as refusal:
            self.when(command, at, **fields)
        return refusal.value.code

    def valid(self, at: int) -> list[str]:
        return [digest for digest, token in self.player.tokens.items() if token.is_valid(at)]


@pytest.fixture
def account() -> Account:
    return Account()


def test_a_further_token_is_issued_with_a_label_and_ends_on_time(account):
    facts = account.when(IssueToken, 10, digest="second", scopes=("play",), label="Bot", lives_ms=90, under="first")
    assert facts == [TokenIssued("second", ("play",), "Bot", 100)]
    assert account.player.tokens["second"] == Token(("play",), "Bot", 10, 100, 90)
    assert account.valid(99) == ["first", "second"]
    assert account.valid(100) == ["first"]


def test_a_token_issues_none_that_covers_more_or_lives_longer(account):
    assert account.refused(IssueToken, 10, digest="second", scopes=("admin",), under="first") == "token/scopes"
    account.when(IssueToken, 10, digest="short", scopes=("play",), lives_ms=90, under="first")
    fields = {"digest": "third", "scopes": ("play",), "under": "short"}
    assert account.refused(IssueToken, 20, **fields, lives_ms=81) == "token/expiry"
    account.when(IssueToken, 20, **fields)
    assert account.player.tokens["third"].expires_at == 100


def test_a_token_that_has_ended_issues_none(account):
    account.when(IssueToken, 10, digest="short", scopes=("play",), lives_ms=90, under="first")
    assert account.refused(IssueToken, 100, digest="third", scopes=("play",), under="short") == "token/over"
    assert account.refused(RotateToken, 100, digest="third", under="short") == "token/over"
    account.when(RevokeToken, 20, token="first")
    assert account.refused(IssueToken, 20, digest="third", scopes=("play",), under="first") == "token/over"


def test_an_account_has_a_hundred_tokens_at_most(account):
    for number in range(MAX_TOKENS - 1):
        account.when(IssueToken, 10, digest=f"{number:064x}", scopes=("play",), under="first")
    assert account.refused(IssueToken, 11, digest="more", scopes=("play",), under="first") == "token/too-many"
    assert account.refused(RotateToken, 11, digest="more", under="first", overlap_ms=1) == "token/too-many"
    account.when(RotateToken, 11, digest="instead", under="first")
    account.when(IssueToken, 12, ROOT, digest="fresh", scopes=("play",), revoke_others=True)
    assert account.valid(12) == ["fresh"]


def test_tokens_that_have_ended_make_room(account):
    for number in range(MAX_TOKENS - 1):
        account.when(IssueToken, 10, digest=f"{number:064x}", scopes=("play",), under="first", lives_ms=5)
    account.when(IssueToken, 15, digest="more", scopes=("play",), under="first")
    assert list(account.player.tokens) == ["first", "more"]


@pytest.mark.parametrize(
    "fields",
    [{"label": label} for label in ("", "x" * 65, "a\nb")]
    + [{"lives_ms": lives_ms} for lives_ms in (0, -1, MAX_TOKEN_LIFE_MS + 1)]
    + [{"scopes": ()}, {"scopes": ("rule",)}],
)
def test_what_no_token_can_be_is_refused(account, fields):
    given = {"digest": "second", "scopes": ("play",), "under": "first", **fields}
    with pytest.raises(WrongValue):
        account.when(IssueToken, 10, **given)


def test_a_successor_takes_over_at_once_or_after_an_overlap_within_bounds(account):
    for overlap_ms in (-1, MAX_OVERLAP_MS + 1):
        fields = {"digest": "next", "under": "first", "overlap_ms": overlap_ms}
        assert account.refused(RotateToken, 9, **fields) == "token/overlap"
    facts = account.when(RotateToken, 10, digest="second", under="first", overlap_ms=50)
    assert facts == [TokenIssued("second", ("play", "record"), None, None), TokenRevoked("first", 60)]
    assert (account.valid(59), account.valid(60)) == (["first", "second"], ["second"])
    account.when(RotateToken, 61, digest="third", under="second")
    assert account.valid(61) == ["third"]


def test_a_successor_lives_as_long_as_its_predecessor_was_meant_to_and_an_overlap_adds_nothing(account):
    account.when(IssueToken, 10, digest="short", scopes=("play",), label="Bot", lives_ms=90, under="first")
    account.when(RotateToken, 80, digest="next", under="short", overlap_ms=50)
    assert account.player.tokens["next"] == Token(("play",), "Bot", 80, 170, 90)
    account.when(RotateToken, 82, digest="again", under="short", lives_ms=10, overlap_ms=50)
    assert account.player.tokens["again"].expires_at == 92
    assert account.refused(RotateToken, 83, digest="more", under="next", lives_ms=91) == "token/expiry"
    assert account.valid(100) == ["first", "next"]


def test_a_token_is_revoked_by_its_id_once(account):
    account.when(IssueToken, 10, digest="0123456789abcdef" + "0" * 48, scopes=("play",), under="first")
    assert account.when(RevokeToken, 11, token="0123456789abcdef") == [TokenRevoked("0123456789abcdef" + "0" * 48, 11)]
    assert account.refused(RevokeToken, 12, token="0123456789abcdef") == "token/unknown"
    assert account.valid(12) == ["first"]


def test_an_administrator_gives_any_scope_and_ends_the_others_with_their_sessions_and_recovery_code(coded):
    coded.when(BeginSession, 9, under="first", digest="session")
    facts = coded.when(IssueToken, 10, ROOT, digest="fresh", scopes=("admin", "play"), revoke_others=True)
    issued = TokenIssued("fresh", ("play", "admin"), None, None)
    assert facts == [issued, TokenRevoked("first", 10), RecoveryCodeUsed()]
    assert (coded.valid(10), coded.player.recovery) == (["fresh"], None)
    assert str(ROOT).encode() in coded.entries[-1].e
    coded.when(IssueToken, 11, ROOT, digest="more", scopes=("play",))
    assert coded.valid(11) == ["fresh", "more"]


def test_an_account_whose_sessions_were_revoked_after_their_token_can_be_read(account):
    account.when(BeginSession, 9, under="first", digest="session")
    last = Event(account.player.version + 1, 10, "x:y", "00", TokenRevoked("first", 10))
    after = Event(account.player.version + 2, 10, "x:y", "00", TokenRevoked("session", 10))
    entries = link_all(account.player.head, last.version, map(format_event, (last, after)))
    assert PLAYER.fold(account.player, entries).tokens == {}


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        (IssueToken, {"digest": "x", "scopes": ("play",)}),
        (RotateToken, {"digest": "x", "under": "y"}),
        (RevokeToken, {"token": "y"}),
    ],
)
def test_what_is_no_account_has_no_tokens(command, fields):
    with pytest.raises(Unknown, match="there is no player"):
        PLAYER.decide(command(actor=ROOT, **fields), Player(STREAM))


def test_a_revocation_of_no_token_does_not_fold():
    events = PLAYER.decide(register(), Player(STREAM)).events
    with pytest.raises(FoldError):
        PLAYER.fold(Player(STREAM), stored([*events, Event(3, 9, "x:y", "00", TokenRevoked("none", 10))]))


# ---------------------------------------------------------------------------------------------------- recovery codes


@pytest.fixture
def coded() -> Account:
    account = Account()
    account.when(SetRecoveryCode, 8, under="first", digest="code")
    return account


def test_an_account_is_opened_with_a_recovery_code():
    facts = [event.data for event in PLAYER.decide(register(recovery="code"), Player(STREAM)).events]
    assert facts[-1] == RecoveryCodeSet("code", ("play",), None)


def test_a_recovery_code_brings_a_token_and_the_next_code_once(coded):
    facts = coded.when(RecoverAccount, 9, code="code", digest="fresh", recovery="next", label="phone")
    issued = TokenIssued("fresh", ("play", "record"), "phone", None)
    assert facts == [RecoveryCodeUsed(), issued, RecoveryCodeSet("next", ("play", "record"), None)]
    assert coded.valid(9) == ["first", "fresh"]
    assert coded.player.recovery == RecoveryCode("next", ("play", "record"), 9, None)
    assert coded.refused(RecoverAccount, 10, code="code", digest="more", recovery="last") == "recovery/refused"


def test_a_new_recovery_code_replaces_the_old_one_and_without_any_nothing_is_recovered(account):
    fields = {"code": "code", "digest": "fresh", "recovery": "next"}
    assert account.refused(RecoverAccount, 7, **fields) == "recovery/refused"
    account.when(SetRecoveryCode, 8, under="first", digest="code")
    account.when(SetRecoveryCode, 9, under="first", digest="newer")
    assert account.refused(RecoverAccount, 10, **fields) == "recovery/refused"


def test_a_recovery_code_covers_no_more_than_what_made_it(account):
    account.when(IssueToken, 8, digest="bot", scopes=("play",), under="first", lives_ms=100)
    account.when(SetRecoveryCode, 9, under="bot", digest="code")
    [_, issued, _] = account.when(RecoverAccount, 10, code="code", digest="fresh", recovery="next")
    assert issued == TokenIssued("fresh", ("play",), None, 108)
    assert account.refused(RecoverAccount, 108, code="next", digest="late", recovery="last") == "recovery/refused"


def test_the_recovery_code_that_a_session_makes_lasts_as_long_as_its_token(account):
    account.when(BeginSession, 8, under="first", digest="session")
    account.when(SetRecoveryCode, 9, under="session", digest="code")
    assert account.player.recovery == RecoveryCode("code", ("play", "record"), 9, None)
    assert account.refused(SetRecoveryCode, 8 + SESSION_LIFE_MS, under="session", digest="late") == "token/over"


def test_an_account_with_too_many_tokens_keeps_its_recovery_code_and_can_end_all_with_it(coded):
    coded.when(BeginSession, 9, under="first", digest="session")
    for number in range(MAX_TOKENS - 1):
        coded.when(IssueToken, 9, digest=f"t{number}", scopes=("play",), under="first")
    assert coded.refused(RecoverAccount, 10, code="code", digest="fresh", recovery="next") == "token/too-many"
    coded.when(RecoverAccount, 11, code="code", digest="fresh", recovery="next", revoke_others=True)
    assert coded.valid(11) == ["fresh"]
