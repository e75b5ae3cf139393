"""A recorded match under another version of its rules: the first event that would not have come is found."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from plyscribe.domain import commands
from plyscribe.domain.errors import OptionError, StreamError
from plyscribe.domain.events import LineCopied, RecordedDice
from plyscribe.domain.line import copy_line
from plyscribe.domain.proofs.candidate import Difference, find_difference
from plyscribe.domain.ruleset import Decision, Over, Roll
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.verification import verify_match
from tests.domain.given import ANN, BEN, RECORDER, STREAM, SYSTEM, Table, account, hot_seat, new_match, recorded
from tests.domain.toy import TOY_V1, Push, Race, ToyMove, ToyV1, answering, await_next, faulty, given, run
from tests.domain.toy_v2 import TOY_V2

PLAIN = {"dice": 0}


def raced(*moves: str, options: dict[str, Any] | None = None, seats: int = 2) -> Table:
    table = hot_seat("toy", seats, options=PLAIN if options is None else options)
    table.play(*moves)
    return table


def verified(table: Table) -> Table:
    table.when(commands.RecordVerdict, SYSTEM, verdict=verify_match(STREAM, table.entries))
    return table


def with_dice() -> Table:
    table = new_match("toy", seats=(account(ANN), None), start="call")
    table.when(commands.TakeSeat, BEN, seat=2, entropy="ben's")
    table.when(commands.StartMatch, ANN)
    while table.status == "playing":
        table.play("push" if table.match.play.ply % 3 else "hold")
    return verified(table)


def drawn() -> Table:
    table = new_match("zhen", seats=(account(ANN), account(BEN)))
    table.when(commands.TakeSeat, BEN, seat=2)
    table.play("+5", "+6")
    table.when(commands.OfferDraw, ANN)
    table.when(commands.AnswerDraw, BEN, accept=True)
    return verified(table)


def taken_back() -> Table:
    table = recorded(dice=RecordedDice())
    for values in ((7, 7), (1,), (2,)):
        table.when(commands.RecordRoll, RECORDER, values=values)
    table.when(commands.MakeMove, RECORDER, move="hold")
    table.when(commands.MakeMove, RECORDER, move="hold")
    table.when(commands.RecordRoll, RECORDER, values=(5,))
    table.when(commands.TakeBack, RECORDER, ply=1)
    table.when(commands.MakeMove, RECORDER, move="push")
    table.when(commands.RecordRoll, RECORDER, values=(4, 4))
    return table


def left() -> Table:
    table = hot_seat("toy", 3)
    table.play("hold")
    table.when(commands.Withdraw, ANN, seat=2)
    return table


def aborted() -> Table:
    table = raced("hold")
    table.when(commands.AbortMatch, SYSTEM, cause="test")
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


def run_without_dice(after: Race, state: Race, move: ToyMove) -> Race:
    if not isinstance(move, Push) or not isinstance(state.awaits, Decision):
        return after
    seat = state.awaits.seat
    return await_next(run(replace(state, ply=state.ply + 1), seat, 1), seat)


def refuse_options(self: ToyV1, raw: dict[str, Any]) -> dict[str, Any]:
    raise OptionError("dice", raw["dice"], "1..3")


def run_too_deep(self: ToyV1, state: Race, move: ToyMove) -> Race:
    raise RecursionError


def end_when(is_over: Callable[[Race], bool], *ranks: int) -> type[ToyV1]:
    """The toy that ends in these states, ranked so or by standing."""

    def end(after: Race, *_: object) -> Race:
        return replace(after, awaits=Over("finish", ranks or TOY_V1.standing(after))) if is_over(after) else after

    return answering("apply_move", end)


def followed(table: Table, command: type[commands.Command], **fields: Any) -> Table:
    table.when(command, ANN, **fields)
    return table


def on_turn_again(after: Race, state: Race, move: ToyMove) -> Race:
    """Who pushes goes on."""
    return replace(after, awaits=state.awaits) if isinstance(move, Push) and state.ply == 1 else after


SHORT_TRACK = end_when(lambda after: any(field >= 2 for field in after.runners))
SHORT = ("push", "hold", "push")
WHOLE_RACE = (*["push", "hold"] * 4, *["push", "push"] * 5, "push")
OVER = "over, finish, ranks 1 2"
ENDED = 'match-ended {"ranks":[1,2],"reason":"finish"}'
WEATHER = "1d10 for weather, the table"
WINDY = answering("apply_move", lambda after, *_: replace(after, awaits=Roll(10, 1, "weather", None)))

DIFFERENCES: dict[str, tuple[type[ToyV1], Callable[[], Table] | tuple[str, ...], dict[str, Any]]] = {
    "a notation that cannot be read any more": (
        given("parse_move", lambda state, text: (state, "HOLD" if text == "hold" else text)),
        ("push", "hold"),
        {"ply": 1, "kind": "illegal", "clause": None},
    ),
    "another seat on turn": (
        answering("apply_move", on_turn_again),
        ("push", "push", "push"),
        {"ply": 2, "kind": "turn", "came": "seat 2 decides", "expected": 'move-made {"move":"push","seat":1}'},
    ),
    "an earlier end, after the last event": (SHORT_TRACK, SHORT, {"late": 1, "kind": "end", "expected": "nothing yet"}),
    "an earlier end, at the event that came instead": (
        SHORT_TRACK,
        (*SHORT, "hold"),
        {"late": 0, "ply": 3, "kind": "end", "expected": 'move-made {"move":"hold","seat":2}', "came": OVER},
    ),
    "an offer after the end": (
        SHORT_TRACK,
        lambda: followed(raced(*SHORT), commands.OfferDraw, seat=1),
        {"late": 0, "kind": "end"},
    ),
    "a withdrawal after the end": (
        SHORT_TRACK,
        lambda: followed(raced(*SHORT), commands.Withdraw, seat=1),
        {"late": -1, "kind": "end"},
    ),
    "an end that does not come any more": (
        answering("initial_state", lambda state, *_: replace(state, track=11)),
        WHOLE_RACE,
        {"kind": "end", "expected": ENDED, "came": "seat 2 decides"},
    ),
    "an end with other ranks": (
        end_when(lambda after: isinstance(after.awaits, Over), 2, 1),
        WHOLE_RACE,
        {"kind": "end", "expected": ENDED, "came": "over, finish, ranks 2 1"},
    ),
    "another roll": (
        answering("initial_state", lambda state, *_: replace(state, awaits=Roll(7, 1, "track", None))),
        with_dice,
        {"ply": 0, "kind": "roll", "came": "1d7 for track, the table", "expected": "dice-rolled "},
    ),
    "a roll that is not due any more": (
        answering("apply_move", run_without_dice),
        with_dice,
        {"kind": "roll", "came": WEATHER},
    ),
    "a roll of the server's dice that is due now, after the last event": (
        WINDY,
        lambda: raced("hold", options={}),
        {"late": 1, "kind": "roll", "came": WEATHER},
    ),
    "options that are refused now": (
        faulty(parse_options=refuse_options),
        raced,
        {"version": 1, "ply": 0, "kind": "options"},
    ),
    "a withdrawal that is refused now": (
        answering("initial_state", lambda state, *_: replace(state, left=(2,))),
        lambda: followed(raced(seats=3), commands.Withdraw, seat=2),
        {"kind": "withdrawal", "came": "seat 2 is not in play"},
    ),
    "another final view, at the verdict": (
        answering("view", lambda view, _: {**view, "laps": 0}),
        with_dice,
        {"late": 0, "kind": "view", "expected": "match-verified "},
    ),
    "an error": (
        answering("apply_move", lambda *_: 1 // 0),
        ("hold",),
        {"ply": 0, "kind": "fails", "came": "ZeroDivisionError("},
    ),
    "a recursion without end": (
        faulty(apply_move=run_too_deep),
        ("hold",),
        {"ply": 0, "kind": "fails", "came": "RecursionError("},
    ),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_the_first_event_that_would_not_have_come_is_told_with_what_came_instead(name: str):
    rules, make, told = DIFFERENCES[name]
    table = raced(*make) if isinstance(make, tuple) else make()
    found = find_difference(table.entries, rules())
    for field, value in told.items():
        is_as_told = found.version - table.match.version if field == "late" else getattr(found, field)
        assert str(is_as_told).startswith(str(value)), (field, found)


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
