"""Pauses: what follows when a player aborts rated matches again and again."""

import pytest

from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import WrongTime
from plyscribe.domain.pauses import find_pause
from plyscribe.domain.player import PLAYER, NoteRatedAbort, Player

MINUTE = 60_000
HOUR = 60 * MINUTE
START = 1_700_000_000_000


def player_with(*aborts: int) -> Player:
    return Player("player-a", 1, aborts={f"match-{number}": START + at for number, at in enumerate(aborts)})


def pause_after(*aborts: int) -> int | None:
    """The pause after the last of these aborts, in milliseconds."""
    last = START + aborts[-1]
    until = find_pause(player_with(*aborts), last)
    return until and until - last


def test_two_aborted_matches_a_day_are_followed_by_no_pause():
    assert pause_after(0) is None
    assert pause_after(0, HOUR) is None
    assert pause_after(0, HOUR, 24 * HOUR) is None
    assert pause_after(0, HOUR, 24 * HOUR - 1) == 10 * MINUTE
    last = START + 2 * MINUTE
    assert find_pause(player_with(MINUTE, 2 * MINUTE, 0), last) == find_pause(player_with(0, MINUTE, 2 * MINUTE), last)


def test_the_third_is_followed_by_ten_minutes_and_each_further_one_by_twice_as_long():
    times = tuple(range(0, 12 * MINUTE, MINUTE))
    lengths = [pause_after(*times[:count]) for count in range(3, 13)]
    minutes = [10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440]
    assert lengths == [each * MINUTE for each in minutes]


def test_a_pause_ends():
    player = player_with(0, 1, 2)
    assert find_pause(player, START + 2 + 10 * MINUTE - 1) == START + 2 + 10 * MINUTE
    assert find_pause(player, START + 2 + 10 * MINUTE) is None


def test_a_match_is_noted_once():
    command = NoteRatedAbort(actor=Actor("system", "rated-aborts"), match="match-0", aborted_at=START)
    assert len(PLAYER.decide(command, player_with()).events) == 1
    with pytest.raises(WrongTime, match="noted already"):
        PLAYER.decide(command, player_with(0))
