"""The agenda of a duty: what is noted, what is due, what is struck."""

import fakeredis
import pytest
from redis import Redis

from plyscribe.workers.duties.agenda import Agenda

KEY = "relay:test"
A, B, C = "match-a", "match-b", "match-c"


@pytest.fixture
def agenda() -> Agenda:
    return Agenda(fakeredis.FakeRedis(server=fakeredis.FakeServer()), KEY)


def test_streams_are_due_from_their_time_on_the_earliest_first_and_a_few_at_a_time(agenda):
    for stream, at_ms in ((C, 30), (A, 10), (B, 20)):
        agenda.note([stream], at_ms)
    due = {at_ms: agenda.list_due(at_ms) for at_ms in (9, 10, 20, 30)}
    assert due == {9: [], 10: [A], 20: [A, B], 30: [A, B, C]}
    assert agenda.list_due(30, limit=2) == [A, B]
    assert Agenda(agenda._redis, KEY).list_due(30) == [A, B, C], "relays share an agenda"
    assert Agenda(agenda._redis, "relay:other").list_due(30) == [], "duties do not"


def test_a_stream_has_the_time_that_was_noted_last_unless_it_is_only_found_again(agenda):
    agenda.note([A], 100)
    agenda.note([A, B], 200)
    assert agenda.list_due(100) == []
    agenda.note_new([A, B, C], 50)
    assert agenda.list_due(100) == [C]
    assert agenda.list_due(200) == [C, A, B]
    agenda.note([A], 40)
    assert agenda.list_due(40) == [A]


def test_a_stream_is_struck_by_its_name_or_when_it_has_no_next_time(agenda):
    agenda.note([A, B, C], 100)
    agenda.strike([A, "match-unknown"])
    assert agenda.list_due(100) == [B, C]
    agenda.reschedule({B: 200, C: None})
    assert agenda.list_due(100) == []
    assert agenda.list_due(200) == [B]


def test_nothing_to_note_or_to_strike_costs_no_request():
    nowhere = Agenda(Redis(unix_socket_path="/nowhere/store.sock"), KEY)
    nowhere.note([], 100)
    nowhere.note_new([], 100)
    nowhere.reschedule({})
    nowhere.strike([])
