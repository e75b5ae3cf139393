"""Letters to the players of a match, found for many appends at once."""

from itertools import pairwise
from random import Random

import orjson
import pytest

from plyscribe.domain.codec import parse_event
from plyscribe.domain.commands import MakeMove
from plyscribe.domain.match import Match, fold
from plyscribe.domain.notices import Notifier, list_decisions
from plyscribe.domain.ruleset import Decision
from plyscribe.service.live.inboxes import Letter
from plyscribe.service.live.match_notices import follow_match, list_appends
from plyscribe.service.store.port import FeedEntry
from tests.domain.given import ANN, STREAM, Table, hot_seat
from tests.domain.test_choices import begin, every_ruleset, step

MATCHES = 6
STEPS = 60

Letters = list[tuple[str, Letter]]


def follow(match: Match, table: Table, appends: list[FeedEntry]) -> tuple[Match, Letters]:
    found: Letters = []
    for after, letters in follow_match(match, table.entries[match.version :], appends):
        match = after
        found += letters
    return match, found


def follow_one_by_one(table: Table, appends: list[FeedEntry]) -> tuple[Match, Letters]:
    match, notifier, found = Match(STREAM), Notifier(Match(STREAM)), Letters()
    for append in appends:
        match = fold(match, table.entries[append.first - 1 : append.last])
        for notice in notifier.advance(match):
            data = {"type": notice.type, "match": STREAM, "version": match.version, "at": match.at, **notice.about}
            key = f"{STREAM}:{match.version}:{notice.name}"
            found.append((notice.player, Letter(key, match.at, orjson.dumps(data))))
    return match, found


def require_the_same(table: Table, rng: Random) -> None:
    """The same letters and match, wherever the appends are cut into batches."""
    appends = list_appends(STREAM, table.entries)
    cuts = sorted({0, len(appends), *(rng.randrange(len(appends) + 1) for _ in range(3))})
    match, found = Match(STREAM), Letters()
    for start, end in pairwise(cuts):
        match, letters = follow(match, table, appends[start:end])
        found += letters
    assert (match, found) == follow_one_by_one(table, appends)
    assert follow(Match(STREAM), table, appends) == (match, found)


@every_ruleset
def test_letters_of_many_appends_are_those_of_each_by_itself(ruleset):
    for seed in range(MATCHES):
        rng = Random(f"{ruleset.id} {seed}")
        table = begin(ruleset, rng)
        for _ in range(STEPS):
            step(table, rng)
        require_the_same(table, rng)


def play_on(table: Table, rng: Random, plies: int) -> None:
    while (play := table.match.play) and isinstance(play.turn, Decision) and play.ply < plies:
        move = play.ruleset.format_move(play.state, play.ruleset.sample_move(play.state, rng.randrange))
        table.when(MakeMove, ANN, move=move)


@every_ruleset
@pytest.mark.parametrize("limits", [None, {"move_ms": 100_000}])
def test_letters_of_a_match_under_way_are_those_of_each_append_by_itself(ruleset, limits):
    rng = Random(ruleset.id)
    table = hot_seat(ruleset.id, ruleset.min_seats, limits=limits, ruleset_version=ruleset.version)
    play_on(table, rng, STEPS)
    require_the_same(table, rng)


def test_moves_alone_are_followed_without_a_match_for_each_and_letters_have_the_time_of_their_event():
    table = hot_seat()
    before = table.match
    play_on(table, Random(1), 5)
    found = {version: notice.about["ply"] for version, notice in list_decisions(before, table.match).items()}
    assert found == {before.version + ply: ply for ply in range(1, 6)}
    appends = list_appends(STREAM, table.entries)
    _, letters = follow(Match(STREAM), table, appends)
    assert letters[-1][1].at == parse_event(table.entries[-1]).at == table.match.at
    assert follow(table.match, table, appends[-3:]) == (table.match, []), "they were followed before"
