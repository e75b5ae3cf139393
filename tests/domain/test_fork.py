"""Forks: another match goes on from any ply, and stands by itself."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from plyscribe.domain import commands
from plyscribe.domain.bundle.report import check_match
from plyscribe.domain.chain import StoredEvent, first_link, link_all
from plyscribe.domain.codec import format_event, parse_event
from plyscribe.domain.deadlines import find_deadline
from plyscribe.domain.decide.opening import MAX_LINE_BYTES
from plyscribe.domain.dice import commit
from plyscribe.domain.effects import Rolled
from plyscribe.domain.errors import FoldError, WrongTime, WrongValue
from plyscribe.domain.events import (
    DiceRolled,
    LineCopied,
    MatchVerified,
    MoveMade,
    SeatWithdrawn,
    ServerDice,
    SharedDice,
)
from plyscribe.domain.line import copy_line
from plyscribe.domain.replay import position_at, replay
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.variation import Tried, begin, read_line, write_line
from plyscribe.domain.verification import verify_match
from tests.domain.given import ANN, BEN, SECRET, STREAM, Table, account, hot_seat, new_match
from tests.domain.prove import every_ruleset, settings_of
from tests.domain.test_verification import chained, refuted_at

FRESH = ServerDice("match-" + "f" * 26, commit(SECRET), "0123456789abcdef")
PARENT = "match-" + "p" * 26
SOME_PLIES = 3
ENOUGH_PLIES = 100


def fork(table: Table, ply: int, dice: str = "fresh", **more: Any) -> Table:
    """A fork of the table's match, which its creator plays alone on all seats unless told otherwise."""
    life = table.match.life
    creator = more.pop("creator", ANN)
    goes_on = dice == "same" and isinstance(life.created.dice, ServerDice)
    given = {
        "ruleset": life.created.ruleset,
        "options": life.created.options,
        "seats": (account(creator),) * len(life.seats),
        "dice": life.created.dice if dice == "same" else FRESH,
        "start": "call",
        "parent": {"match": PARENT, "ply": ply},
        "line": LineCopied(copy_line(table.entries, ply), life.entropies if goes_on else None),
    }
    forked = Table()
    forked.when(commands.CreateMatch, creator, **{**given, **more})
    return forked


def play_on(table: Table, rng: Random, plies: int = ENOUGH_PLIES) -> None:
    """Random moves, and a withdrawal where two remain, until the rules end the match or so many plies were played."""
    while table.status == "playing" and plies:
        ruleset, state = table.match.play.ruleset, table.match.play.state
        in_play = set(range(1, len(table.match.life.seats) + 1)) - set(table.match.play.left)
        if rng.random() < 0.1 and len(in_play) > 2:
            table.when(commands.Withdraw, ANN, seat=rng.choice(sorted(in_play)))
        else:
            table.play(ruleset.format_move(state, ruleset.sample_move(state, rng.randrange)))
            plies -= 1


def finish(table: Table) -> None:
    """End a match that the rules have not ended."""
    while table.status == "playing":
        seats = range(1, len(table.match.life.seats) + 1)
        table.when(commands.Withdraw, ANN, seat=next(seat for seat in seats if seat not in table.match.play.left))


def forged(table: Table, **changed: Any) -> list[StoredEvent]:
    """The fork's events with another line, chained again."""
    events = [parse_event(entry) for entry in table.entries]
    events[1] = events[1]._replace(data=replace(events[1].data, **changed))
    return link_all(first_link(STREAM), 1, map(format_event, events))


@every_ruleset
@pytest.mark.parametrize("dice", ["same", "fresh"])
def test_a_fork_at_any_ply_stands_where_its_parent_stood_goes_on_ends_and_verifies(ruleset, dice):
    rng = Random(f"{ruleset.id} {dice}")
    for setting in settings_of(ruleset):
        parent = hot_seat(ruleset.id, setting.seats, options=setting.options)
        play_on(parent, rng)
        last = parent.match.play.ply
        for ply in rng.sample(range(last), min(SOME_PLIES, last)):
            forked = fork(parent, ply, dice)
            assert states(forked) == states(parent)[: ply + 1]
            forked.when(commands.StartMatch, ANN)
            play_on(forked, rng)
            finish(forked)
            assert isinstance(verify_match(STREAM, forked.entries), MatchVerified)
            assert states(fork(forked, ply, dice))[:ply] == states(parent)[:ply]
        if parent.status == "ended":
            with pytest.raises(WrongTime, match=f"the match is over after move {last}"):
                fork(parent, last)


def states(table: Table) -> list[Any]:
    return [position_at(table.match, ply).state for ply in range(table.match.play.ply + 1)]


def race(plies: int = 5) -> Table:
    """A race of two with dice, left by seat 2 after so many plies."""
    table = hot_seat("toy")
    table.play(*["hold"] * plies)
    table.when(commands.Withdraw, ANN, seat=2)
    return table


def after_start(table: Table, moves: list[str]) -> list[Any]:
    """What follows on the start of a fork, and on these moves."""
    table.when(commands.StartMatch, ANN)
    for move in moves:
        table.play(move)
    return [e.data for e in map(parse_event, table.entries) if isinstance(e.data, MoveMade | DiceRolled)]


def test_the_dice_of_the_parent_go_on_with_its_salts():
    parent = new_match("toy", (account(ANN), None))
    parent.when(commands.TakeSeat, BEN, seat=2, entropy="b")
    parent.when(commands.AddEntropy, ANN, entropy="a")
    while parent.status == "playing":
        parent.play("push")
    played = [e.data for e in map(parse_event, parent.entries) if isinstance(e.data, MoveMade | DiceRolled)]
    line = len(copy_line(parent.entries, 1))
    forked = fork(parent, 1, "same", seats=(account(ANN), account(ANN)))
    assert after_start(forked, ["push"] * (parent.match.play.ply - 1)) == played[line:]
    assert isinstance(verify_match(STREAM, forked.entries), MatchVerified)


def test_fresh_dice_are_others_and_what_was_copied_stands():
    parent = race()
    forked = fork(parent, 2)
    assert forked.match.play.rolls == sum(isinstance(step, DiceRolled) for step in copy_line(parent.entries, 2))
    same, fresh = after_start(fork(parent, 2, "same"), ["push"]), after_start(forked, ["push"])
    assert same[0] == fresh[0] == MoveMade(same[0].seat, "push")
    assert same[1:] != fresh[1:]


def test_fresh_dice_of_a_fork_wait_for_salt_and_dice_that_go_on_take_none():
    for dice, salts in (("same", {}), ("fresh", {"entropy": "b"})):
        forked = fork(race(), 2, dice, seats=(account(ANN), None), start="auto")
        if dice == "same":
            with pytest.raises(WrongValue, match="took them over from its parent"):
                forked.when(commands.AddEntropy, ANN, entropy="x")
        forked.when(commands.TakeSeat, BEN, seat=2, **salts)
        if dice == "fresh":
            assert forked.status == "open"
            forked.when(commands.AddEntropy, ANN, entropy="a")
        assert forked.status == "playing"


def test_the_first_decision_is_due_from_the_start_and_copied_moves_took_no_time():
    forked = fork(race(), 4, seats=(account(ANN), account(ANN)), limits={"move_ms": 5000, "match_ms": 60_000})
    forked.when(commands.StartMatch, ANN, at=777_000)
    assert [forked.match.play.time_used(seat) for seat in (1, 2)] == [0, 0]
    assert find_deadline(forked.match).at == 782_000


def test_who_has_not_moved_in_the_fork_itself_may_still_abort_it():
    forked = fork(race(), 4, creator=BEN, seats=(account(BEN), account(ANN)), start="auto", dice="same")
    forked.when(commands.TakeSeat, ANN, seat=2)
    forked.when(commands.AbortMatch, ANN, cause="not this one")
    assert forked.status == "aborted"


def test_a_copied_move_is_known_from_one_made_here_by_the_version_that_holds_it_too():
    forked = fork(race(), 4)
    forked.when(commands.StartMatch, ANN)
    forked.play("push")
    assert [step.is_copied for step in forked.match.play.steps] == [True] * 4 + [False]
    assert [position_at(forked.match, ply).version for ply in range(5)] == [2, 2, 2, 2, 3]
    assert replay(STREAM, forked.entries[:2]).play.ply == 4


@pytest.mark.parametrize(
    ("ply", "more", "error", "why"),
    [
        (2, {"rated": True, "seats": (account(ANN), account(BEN))}, WrongValue, "a fork is not rated"),
        (2, {"line": None}, FoldError, "event 2 does not fit"),
        (2, {"parent": {"match": PARENT, "ply": 3}}, FoldError, "a line of 2 moves is not how this match begins"),
    ],
)
def test_a_fork_is_not_rated_and_begins_with_a_line_as_long_as_its_parent_was_at_that_ply(ply, more, error, why):
    with pytest.raises(error, match=why):
        fork(race(), ply, **more)


def tried(table: Table, ply: int, *steps: Tried) -> LineCopied:
    """The line of the table's match up to a ply, and these steps."""
    created = table.match.life.created
    line = [*read_line(copy_line(table.entries, ply)), *steps]
    start = begin(table.match.play.ruleset, created.options, len(created.seats))
    return LineCopied(write_line(start, line), None)


def explain_dice(table: Table) -> str | None:
    """What the report says of the dice, once the match has been played to its end."""
    table.when(commands.StartMatch, ANN)
    finish(table)
    [dice] = [check for check in check_match(STREAM, table.entries).checks if check.check == "dice"]
    assert dice.result == "ok"
    return dice.why


CHOSEN = "the rolls of the line that it begins with were chosen by its creator"
PARENTS = "the rolls before the fork are its parent's"
EITHER = "the rolls before the fork are its parent's, or were chosen by the creator of the fork"


@pytest.mark.parametrize(("parent", "said"), [(None, CHOSEN), ({"match": PARENT, "ply": 1}, EITHER)])
def test_a_match_begins_with_steps_that_were_tried_and_says_so(parent, said):
    forked = fork(race(), 1, parent=parent, line=tried(race(), 1, "push", Rolled((1, 2))))
    assert [step.move for step in forked.match.play.steps] == ["hold", "push"]
    assert explain_dice(forked) == said
    assert isinstance(verify_match(STREAM, forked.entries), MatchVerified)


def test_a_match_that_begins_with_chosen_rolls_alone_says_so():
    begun = Table()
    line = LineCopied(write_line(begin(find_ruleset("toy"), {}, 2), [Rolled((1, 2))]), None)
    begun.when(commands.CreateMatch, ANN, ruleset="toy", seats=(account(ANN),) * 2, dice=FRESH, start="call", line=line)
    assert explain_dice(begun) == CHOSEN


@pytest.mark.parametrize(("ply", "said"), [(1, PARENTS), (2, EITHER)])
def test_rolls_after_the_last_move_of_a_parent_may_have_been_chosen(ply, said):
    # Nothing is rolled after the first hold. After the second, that of the last seat, the table rolls the weather.
    assert explain_dice(fork(race(), ply)) == said


def test_a_match_that_begins_with_steps_is_not_rated_and_shares_no_dice():
    seats = (account(ANN), account(BEN))
    with pytest.raises(WrongValue, match="begins with steps is not rated"):
        fork(race(), 2, parent=None, rated=True, seats=seats)
    shared = SharedDice("block-" + "a" * 26, FRESH.commitment, FRESH.key, (STREAM, PARENT))
    with pytest.raises(WrongValue, match="begin at the beginning"):
        Table().when(commands.CreateMatch, ANN, ruleset="toy", seats=seats, dice=shared, line=tried(race(), 1))


def test_a_fork_begins_with_a_line_within_its_bounds_and_alone_goes_on_with_salts():
    line = LineCopied(copy_line(race().entries, 2), ("a", "b"))
    with pytest.raises(FoldError, match="salts need the server dice of a parent"):
        fork(race(), 2, parent=None, line=line)
    steps = (MoveMade(1, "hold"),) * (MAX_LINE_BYTES // 20)
    with pytest.raises(WrongValue, match=f"a match begins with {MAX_LINE_BYTES} at most"):
        fork(race(), 0, line=LineCopied(steps, None), parent={"match": PARENT, "ply": len(steps)})


FORGERIES = {
    "an illegal move": lambda line: {"steps": (*line.steps[:-2], MoveMade(line.steps[-2].seat, "give 2 9"))},
    "the other seat's move": lambda line: {
        "steps": tuple(replace(s, seat=3 - s.seat) if isinstance(s, MoveMade) else s for s in line.steps)
    },
    "dice that show too much": lambda line: {"steps": (replace(line.steps[0], values=(9, 9)), *line.steps[1:])},
    "dice for another purpose": lambda line: {"steps": (replace(line.steps[0], purpose="luck"), *line.steps[1:])},
    "a roll too many": lambda line: {"steps": (*line.steps, line.steps[0])},
    "a move left out": lambda line: {"steps": line.steps[:3]},
    "an unknown cause": lambda line: {"steps": (*line.steps, SeatWithdrawn(2, "bored"))},
    "an unknown fault": lambda line: {"steps": (*line.steps, SeatWithdrawn(2, "resigned", "bored"))},
    "salts of too many": lambda line: {"salts": ("a", "b", "c")},
    "a ply too few": lambda line: {"steps": ()},
}


def left_fork() -> Table:
    forked = fork(race(), 2)
    forked.when(commands.StartMatch, ANN)
    forked.when(commands.Withdraw, ANN, seat=1)
    return forked


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_line_is_refuted_by_its_own_event(forgery):
    forked = left_fork()
    line = parse_event(forked.entries[1]).data
    refuted_at(forged(forked, **FORGERIES[forgery](line)), 2, "")


def test_copied_rolls_stand_as_copied_whatever_the_parent_says():
    forked = left_fork()
    line = parse_event(forked.entries[1]).data
    steps = (replace(line.steps[0], values=(1, 1)), *line.steps[1:])
    assert line.steps[0].values != (1, 1)
    assert isinstance(verify_match(STREAM, forged(forked, steps=steps)), MatchVerified)


def test_a_fork_without_its_line_is_refuted_there():
    entries = left_fork().entries
    events = list(map(parse_event, entries))
    for without in (entries[:1] + entries[2:], chained([events[0], *events[2:]])):
        assert verify_match(STREAM, without).version == 2
