"""A recorded match under another version of its rules: the first event that would not have come is found."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from plyscribe.domain.commands import (
    AbortMatch,
    AnswerDraw,
    MakeMove,
    OfferDraw,
    RecordRoll,
    RecordVerdict,
    StartMatch,
    TakeBack,
    TakeSeat,
    Withdraw,
)
from plyscribe.domain.errors import OptionError, StreamError
from plyscribe.domain.events import LineCopied, RecordedDice
from plyscribe.domain.line import copy_line
from plyscribe.domain.proofs.candidate import Difference, find_difference
from plyscribe.domain.ruleset import Decision, Over, Roll
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.verification import verify_match
from tests.domain.given import ANN, BEN, RECORDER, STREAM, SYSTEM, Table, account, hot_seat, new_match, recorded
from tests.domain.toy import TOY_V1, Push, Race, ToyMove, ToyV1, await_next, run
from tests.domain.toy_v2 import TOY_V2

PLAIN = {"dice": 0}


def raced(*moves: str, options: dict[str, Any] | None = None, seats: int = 2) -> Table:
    table = hot_seat("toy", seats, options=PLAIN if options is None else options)
    table.play(*moves)
    return table


def verified(table: Table) -> Table:
    table.when(RecordVerdict, SYSTEM, verdict=verify_match(STREAM, table.entries))
    return table


def with_dice() -> Table:
    table = new_match("toy", seats=(account(ANN), None), start="call")
    table.when(TakeSeat, BEN, seat=2, entropy="ben's")
    table.when(StartMatch, ANN)
    while table.status == "playing":
        table.play("push" if table.match.play.ply % 3 else "hold")
    return verified(table)


def drawn() -> Table:
    table = new_match("zhen", seats=(account(ANN), account(BEN)))
    table.when(TakeSeat, BEN, seat=2)
    table.play("+5", "+6")
    table.when(OfferDraw, ANN)
    table.when(AnswerDraw, BEN, accept=True)
    return verified(table)


def taken_back() -> Table:
    table = recorded(dice=RecordedDice())
    for values in ((7, 7), (1,), (2,)):
        table.when(RecordRoll, RECORDER, values=values)
    table.when(MakeMove, RECORDER, move="hold")
    table.when(MakeMove, RECORDER, move="hold")
    table.when(RecordRoll, RECORDER, values=(5,))
    table.when(TakeBack, RECORDER, ply=1)
    table.when(MakeMove, RECORDER, move="push")
    table.when(RecordRoll, RECORDER, values=(4, 4))
    return table


def left() -> Table:
    table = hot_seat("toy", 3)
    table.play("hold")
    table.when(Withdraw, ANN, seat=2)
    return table


def aborted() -> Table:
    table = raced("hold")
    table.when(AbortMatch, SYSTEM, cause="test")
    return table


@pytest.mark.parametrize("make", [raced, with_dice, drawn, taken_back, left, aborted, lambda: new_match("toy")])
def test_under_its_own_rules_a_match_does_not_differ(make: Callable[[], Table]):
    table = make()
    created = table.match.life.created
    assert find_difference(table.entries, find_ruleset(created.ruleset, 1)) is None


def test_a_move_that_is_illegal_now_is_told_with_its_clause():
    assert find_difference(raced("hold", "hold", "hold", "hold", "give 2 2").entries, TOY_V2) is None
    table = raced("hold", "hold", "hold", "hold", "hold", "hold", "give 2 3")
    assert find_difference(table.entries, TOY_V2) == Difference(
        version=table.match.version,
        ply=6,
        kind="illegal",
        expected='move-made {"move":"give 2 3","seat":1}',
        came="illegal move 'give 2 3' at move 7: TO12, nobody gives more than 2 coins at once",
        clause="TO12",
    )


def test_a_notation_that_cannot_be_read_any_more_is_illegal_without_a_clause():
    class Shouting(ToyV1):
        def parse_move(self, state: Race, text: str) -> ToyMove:
            return super().parse_move(state, "HOLD" if text == "hold" else text)

    found = find_difference(raced("push", "hold").entries, Shouting())
    assert (found.ply, found.kind, found.clause) == (1, "illegal", None)


class TwiceAround(ToyV1):
    """Who pushes goes on."""

    def apply_move(self, state: Race, move: ToyMove) -> Race:
        after = super().apply_move(state, move)
        return replace(after, awaits=state.awaits) if isinstance(move, Push) and state.ply == 1 else after


class ShortTrack(ToyV1):
    """A track of two fields."""

    def apply_move(self, state: Race, move: ToyMove) -> Race:
        after = super().apply_move(state, move)
        over = any(field >= 2 for field in after.runners)
        return replace(after, awaits=Over("finish", self.standing(after))) if over else after


class LongTrack(ToyV1):
    """A track of eleven fields."""

    def initial_state(self, options: dict[str, Any], seats: int) -> Race:
        return replace(super().initial_state(options, seats), track=11)


def test_another_seat_on_turn_is_told_at_its_first_move():
    found = find_difference(raced("push", "push", "push").entries, TwiceAround())
    assert (found.ply, found.kind, found.came) == (2, "turn", "seat 2 decides")
    assert found.expected == 'move-made {"move":"push","seat":1}'


def test_an_earlier_end_is_told_at_the_event_that_came_instead_or_after_the_last_one():
    table = raced("push", "hold", "push")
    version = table.match.version
    found = find_difference(table.entries, ShortTrack())
    assert (found.version, found.kind, found.expected) == (version + 1, "end", "nothing yet")
    table.play("hold")
    assert find_difference(table.entries, ShortTrack()) == Difference(
        version + 1, 3, "end", 'move-made {"move":"hold","seat":2}', "over, finish, ranks 1 2"
    )


@pytest.mark.parametrize(("command", "fields"), [(OfferDraw, {"seat": 1}), (Withdraw, {"seat": 1})])
def test_nothing_but_the_end_follows_a_state_that_is_over(command, fields):
    table = raced("push", "hold", "push")
    version = table.match.version
    table.when(command, ANN, **fields)
    found = find_difference(table.entries, ShortTrack())
    assert (found.version, found.kind) == (version + 1, "end")


class LastWins(ToyV1):
    """The last one of the race wins it."""

    def apply_move(self, state: Race, move: ToyMove) -> Race:
        after = super().apply_move(state, move)
        return replace(after, awaits=Over("finish", (2, 1))) if isinstance(after.awaits, Over) else after


@pytest.mark.parametrize(
    ("ruleset", "came"), [(LongTrack(), "seat 2 decides"), (LastWins(), "over, finish, ranks 2 1")]
)
def test_an_end_that_does_not_come_any_more_or_with_other_ranks_is_told(ruleset, came):
    found = find_difference(raced(*["push", "hold"] * 4, *["push", "push"] * 5, "push").entries, ruleset)
    assert (found.kind, found.expected) == ("end", 'match-ended {"ranks":[1,2],"reason":"finish"}')
    assert found.came == came


class OtherDice(ToyV1):
    """The track is rolled with one die."""

    def initial_state(self, options: dict[str, Any], seats: int) -> Race:
        return replace(super().initial_state(options, seats), awaits=Roll(7, 1, "track", None))


def test_another_roll_is_told():
    table = with_dice()
    found = find_difference(table.entries, OtherDice())
    assert (found.ply, found.kind, found.came) == (0, "roll", "1d7 for track, the table")
    assert found.expected.startswith("dice-rolled ")


class NoDice(ToyV1):
    """Nobody rolls for a push."""

    def apply_move(self, state: Race, move: ToyMove) -> Race:
        if isinstance(move, Push) and isinstance(state.awaits, Decision):
            seat = state.awaits.seat
            return await_next(run(replace(state, ply=state.ply + 1), seat, 1), seat)
        return super().apply_move(state, move)


def test_a_roll_that_is_not_due_any_more_is_told():
    found = find_difference(with_dice().entries, NoDice())
    assert (found.kind, found.came) == ("roll", "1d10 for weather, the table")


def test_a_roll_of_the_servers_dice_that_is_due_now_is_told_even_after_the_last_event():
    class Windy(ToyV1):
        def apply_move(self, state: Race, move: ToyMove) -> Race:
            return replace(super().apply_move(state, move), awaits=Roll(10, 1, "weather", None))

    table = hot_seat("toy")
    table.play("hold")
    found = find_difference(table.entries, Windy())
    assert (found.version, found.kind, found.came) == (table.match.version + 1, "roll", "1d10 for weather, the table")


def test_options_that_are_refused_now_are_told():
    class NoLimit(ToyV1):
        def parse_options(self, raw: dict[str, Any]) -> dict[str, Any]:
            raise OptionError("dice", raw["dice"], "1..3")

    found = find_difference(raced().entries, NoLimit())
    assert (found.version, found.ply, found.kind) == (1, 0, "options")


def test_a_withdrawal_that_is_refused_now_is_told():
    class Gone(ToyV1):
        def initial_state(self, options: dict[str, Any], seats: int) -> Race:
            return replace(super().initial_state(options, seats), left=(2,))

    table = hot_seat("toy", 3, options=PLAIN)
    table.when(Withdraw, ANN, seat=2)
    found = find_difference(table.entries, Gone())
    assert (found.kind, found.came) == ("withdrawal", "seat 2 is not in play")


def test_another_final_view_is_told_at_the_verdict():
    class Renamed(ToyV1):
        def view(self, state: Race) -> dict[str, Any]:
            return {**super().view(state), "laps": 0}

    table = with_dice()
    found = find_difference(table.entries, Renamed())
    assert (found.version, found.kind) == (table.match.version, "view")
    assert found.expected.startswith("match-verified ")


@pytest.mark.parametrize("error", [ZeroDivisionError("oops"), RecursionError()])
def test_a_ruleset_that_fails_is_told_with_what_it_fails_with(error: Exception):
    class Failing(ToyV1):
        def apply_move(self, state: Race, move: ToyMove) -> Race:
            raise error

    found = find_difference(raced("hold").entries, Failing())
    assert (found.ply, found.kind, found.came) == (0, "fails", repr(error))


def test_the_line_that_a_fork_begins_with_is_looked_at_too():
    parent = raced("hold", "hold", "hold", "hold", "hold", "hold", "give 2 3")
    line = LineCopied(copy_line(parent.entries, 7), None)
    fork = hot_seat("toy", options=PLAIN, parent={"match": STREAM, "ply": 7}, line=line)
    fork.play("push")
    assert find_difference(fork.entries, TOY_V1) is None
    found = find_difference(fork.entries, TOY_V2)
    assert (found.version, found.ply, found.kind, found.clause) == (2, 6, "illegal", "TO12")


def test_what_is_no_match_cannot_be_compared():
    entries = raced("hold").entries
    for broken in ([], entries[1:], [entries[0]._replace(e=b"{}")]):
        with pytest.raises(StreamError):
            find_difference(broken, TOY_V1)
