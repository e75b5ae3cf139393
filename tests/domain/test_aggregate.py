"""Every kind of stream is declared alike: what all of them refuse, whichever events and commands they have."""

from typing import get_args

import pytest

from plyscribe.domain.chain import StoredEvent, first_link, link_all
from plyscribe.domain.codec import Event, format_event
from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import BrokenChain, FoldError, Unknown, UnknownEventType, WrongTime
from plyscribe.domain.events import EventData, MatchStarted
from plyscribe.domain.kinds import MATCH, STREAM_KINDS
from plyscribe.domain.player import PLAYER, IssueToken, PlayerRegistered, RegisterPlayer, TokenIssued

ROOT = Actor("system", "root")
DECLARED = [kind for kind in STREAM_KINDS if kind is not MATCH]
every_kind = pytest.mark.parametrize("kind", DECLARED, ids=lambda kind: kind.kind)


def stored(stream: str, *facts: object) -> list[StoredEvent]:
    events = [Event(version, 5, "system:root", "00", data) for version, data in enumerate(facts, 1)]
    return link_all(first_link(stream), 1, map(format_event, events))


def register(**more: str) -> RegisterPlayer:
    return RegisterPlayer(actor=ROOT, at=5, id="00", name="Ada", digest="first", scopes=("play",), **more)


def test_kinds_and_their_events_have_words_of_their_own():
    assert len({kind.kind for kind in STREAM_KINDS}) == len(STREAM_KINDS)
    words = [word for kind in STREAM_KINDS for word in kind.types]
    assert len(set(words)) == len(words)


def test_the_events_of_a_match_are_those_it_can_fold():
    assert set(MATCH.types.values()) == set(get_args(EventData))


@every_kind
def test_no_kind_reads_an_event_of_another_and_a_fold_of_no_events_changes_nothing(kind):
    state = kind.empty(f"{kind.kind}-a")
    with pytest.raises(UnknownEventType):
        kind.fold(state, stored(state.stream, MatchStarted()))
    assert kind.fold(state, []) is state
    assert (state.version, state.head) == (0, b"")


def test_a_fold_ends_at_the_version_and_hash_of_the_last_event_and_takes_none_out_of_order():
    state = PLAYER.empty("player-a")
    entries = stored("player-a", PlayerRegistered("Ada", "person"), TokenIssued("first", ("play",), None, None))
    folded = PLAYER.fold(state, entries)
    assert (folded.version, folded.head) == (2, entries[-1].h)
    assert PLAYER.fold(PLAYER.fold(state, entries[:1]), entries[1:]) == folded
    for other, broken in ((state, entries[::-1]), (PLAYER.empty("player-b"), entries)):
        with pytest.raises(BrokenChain):
            PLAYER.fold(other, broken)


@pytest.mark.parametrize(
    ("facts", "version"),
    [
        ([TokenIssued("first", ("play",), None, None)], 1),
        ([PlayerRegistered("Ada", "person"), PlayerRegistered("Bea", "person")], 2),
    ],
)
def test_the_first_event_stands_first_and_nowhere_else(facts, version):
    why = f"event {version} does not fit .*player-registered must be the first event of the stream, and only the first"
    with pytest.raises(FoldError, match=why):
        PLAYER.fold(PLAYER.empty("player-a"), stored("player-a", *facts))


def test_a_stream_is_opened_once_and_before_any_other_command():
    empty = PLAYER.empty("player-a")
    first, second = registered = PLAYER.decide(register(), empty).events
    assert (first.version, first.at, first.by, first.cause) == (1, 5, "system:root", "00")
    assert second[:4] == (2, 5, "system:root", "00")
    player = PLAYER.fold(empty, stored("player-a", *(event.data for event in registered)))
    with pytest.raises(WrongTime, match="the player player-a already exists") as refused:
        PLAYER.decide(register(), player)
    assert refused.value.code == "player/exists"
    with pytest.raises(Unknown, match="there is no player player-a") as unknown:
        PLAYER.decide(IssueToken(actor=ROOT, digest="second", scopes=("play",)), empty)
    assert unknown.value.code == "player/unknown"
