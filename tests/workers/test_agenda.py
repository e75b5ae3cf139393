"""The agenda of a duty: what is noted, what is due, what is struck."""

from collections.abc import Iterator

import fakeredis
import pytest
from redis import Redis

from plyscribe.workers.duties.agenda import Agenda

KEY = "relay:test"
A, B, C = "match-a", "match-b", "match-c"


@pytest.fixture
def redis() -> Iterator[Redis]:
    with fakeredis.FakeRedis(server=fakeredis.FakeServer()) as client:
        yield client


@pytest.fixture
def agenda(redis: Redis) -> Agenda:
    return Agenda(redis, KEY)


def test_a_stream_is_due_from_its_time_on(agenda):
    agenda.note([A], 100)
    assert agenda.list_due(99) == []
    assert agenda.list_due(100) == [A]
    assert agenda.list_due(101) == [A], "listing strikes nothing"


def test_streams_are_due_the_earliest_first_and_a_few_at_a_time(agenda):
    agenda.note([C], 30)
    agenda.note([A], 10)
    agenda.note([B], 20)
    assert agenda.list_due(100) == [A, B, C]
    assert agenda.list_due(100, limit=2) == [A, B]


def test_a_stream_is_noted_once_and_at_the_latest_time_given(agenda):
    agenda.note([A], 100)
    agenda.note([A, B], 200)
    assert agenda.list_due(100) == []
    assert agenda.list_due(200) == [A, B]
    agenda.note([A], 50)
    assert agenda.list_due(50) == [A]


def test_a_stream_that_is_noted_keeps_its_time_when_it_is_found_again(agenda):
    agenda.note([A], 100)
    agenda.note_new([A, B], 50)
    assert agenda.list_due(50) == [B]
    assert agenda.list_due(100) == [B, A]


def test_a_stream_that_is_struck_is_never_due(agenda):
    agenda.note([A, B, C], 100)
    agenda.strike([A, C, "match-unknown"])
    assert agenda.list_due(100) == [B]


def test_a_stream_is_struck_when_it_has_no_next_time(agenda):
    agenda.note([A, B, C], 100)
    agenda.reschedule({A: 200, B: None})
    assert agenda.list_due(100) == [C]
    assert agenda.list_due(200) == [C, A]


def test_two_relays_share_an_agenda_and_two_duties_do_not(agenda, redis):
    agenda.note([A], 100)
    assert Agenda(redis, KEY).list_due(100) == [A]
    assert Agenda(redis, "relay:other").list_due(100) == []


def test_nothing_to_note_or_to_strike_costs_no_request():
    nowhere = Agenda(Redis(unix_socket_path="/nowhere/store.sock"), KEY)
    nowhere.note([], 100)
    nowhere.note_new([], 100)
    nowhere.reschedule({})
    nowhere.strike([])
