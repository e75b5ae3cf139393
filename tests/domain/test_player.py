"""Accounts: what is recorded of them, and what cannot be."""

import pytest

from domain.chain import first_link, link_all
from domain.commands import Actor
from domain.errors import BrokenChain, UnknownEventType, WrongTime, WrongValue
from domain.events import Event, MatchStarted, format_event
from domain.player import Player, PlayerRegistered, RegisterPlayer, TokenIssued, decide_player, fold_player

STREAM = "player-" + "a" * 26


def register(**changed: object) -> RegisterPlayer:
    given = {"name": "Ada", "scopes": ("play",), "digest": "00", "actor": Actor("system", "sign-up"), "at": 7}
    return RegisterPlayer(**{**given, **changed})


def stored(events: list[Event]):
    return link_all(first_link(STREAM), 1, map(format_event, events))


def test_an_account_is_a_name_a_kind_and_a_token():
    events = decide_player(register(scopes=("record", "play"), kind="bot"), Player(STREAM))
    assert [event.data for event in events] == [PlayerRegistered("Ada", "bot"), TokenIssued("00", ("play", "record"))]
    player = fold_player(Player(STREAM), stored(events))
    assert (player.version, player.name, player.kind, player.registered_at) == (2, "Ada", "bot", 7)
    assert player.tokens == {"00": ("play", "record")}


def test_an_account_is_opened_once():
    player = fold_player(Player(STREAM), stored(decide_player(register(), Player(STREAM))))
    with pytest.raises(WrongTime):
        decide_player(register(), player)


@pytest.mark.parametrize(
    "changed",
    [{"name": name} for name in ("", " Ada", "Ada ", "x" * 65, "A\nda", "\0", "\ud800")]
    + [{"kind": "builtin"}, {"scopes": ()}, {"scopes": ("play", "rule")}],
)
def test_what_no_account_can_be_is_refused(changed):
    with pytest.raises(WrongValue):
        decide_player(register(**changed), Player(STREAM))


@pytest.mark.parametrize("name", ["Ada", "Zoë Ünal", "李小龙", "O'Brien", "می\u200cخواهم", "👩\u200d🚀", "x" * 64])
def test_names_of_all_the_world_are_fine(name):
    assert decide_player(register(name=name), Player(STREAM))


def test_a_changed_account_is_not_trusted():
    entries = stored(decide_player(register(), Player(STREAM)))
    entries[1] = entries[1]._replace(e=entries[1].e.replace(b"play", b"admn"))
    with pytest.raises(BrokenChain):
        fold_player(Player(STREAM), entries)


def test_events_of_a_match_are_none_of_a_player():
    with pytest.raises(UnknownEventType):
        fold_player(Player(STREAM), stored([Event(1, 1, "x:y", "00", MatchStarted())]))
