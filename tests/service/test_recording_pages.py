"""The list of steps that a recorder corrects: each knows the position before it."""

from random import Random

import pytest

from plyscribe.domain.commands import MakeMove, RecordRoll, Withdraw
from plyscribe.domain.effects import Rolled, Withdrew
from plyscribe.domain.events import RecordedDice
from plyscribe.domain.ruleset import Roll
from plyscribe.domain.rulesets import RULESETS
from plyscribe.service.matches.variations import Start, reach
from plyscribe.service.web.pages.recording import explain_leaving, list_line
from tests.domain.given import RECORDER, Table, recorded

NAMES = ("Ada", "Bea", "Cid", "Dot")


def record_some(ruleset, rng: Random, steps: int = 40) -> Table:
    """A recorded match with random moves and rolls, and a withdrawal."""
    seats = ruleset.max_seats
    table = recorded(ruleset.id, NAMES[:seats], ruleset_version=ruleset.version, dice=RecordedDice())
    for number in range(steps):
        if table.status != "playing":
            break
        turn, play = table.match.turn, table.match.play
        if isinstance(turn, Roll):
            table.when(RecordRoll, RECORDER, values=tuple(rng.randrange(turn.sides) + 1 for _ in range(turn.count)))
        elif number == steps // 2 and seats > 2:
            table.when(Withdraw, RECORDER, seat=play.turn.seat, cause="absent")
        else:
            move = play.ruleset.sample_move(play.state, rng.randrange)
            table.when(MakeMove, RECORDER, move=play.ruleset.format_move(play.state, move))
    return table


def read_step(step: dict):
    if "move" in step:
        return step["move"]
    return Rolled(tuple(step["values"])) if "values" in step else Withdrew(step["withdraw"])


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: f"{ruleset.id} {ruleset.version}")
def test_each_step_leads_to_the_position_before_it(ruleset):
    table = record_some(ruleset, Random(ruleset.id))
    play = table.match.play
    line = list_line(table.match, NAMES, 1000)
    assert not line.has_more
    assert [entry.mending["back"] for entry in line.entries] == list(range(play.length, 0, -1))
    for entry, step in zip(line.entries, play.list_last(1000)[::-1], strict=True):
        start = entry.mending["start"]
        where = (
            Start(ruleset.id, ruleset.version, {}, 0, start["match"], start["ply"])
            if "match" in start
            else Start(ruleset.id, start["ruleset_version"], start["options"], start["seats"])
        )
        reached = reach(where, [read_step(each) for each in entry.mending["steps"]], lambda _: table.match)
        assert reached.state == step.state


def test_only_the_latest_steps_are_listed():
    table = record_some(RULESETS[0], Random(1))
    line = list_line(table.match, NAMES, 5)
    assert ([entry.mending["back"] for entry in line.entries], line.has_more) == ([5, 4, 3, 2, 1], True)


def test_it_is_said_what_a_withdrawal_means_for_the_others():
    two = recorded("pathagon", NAMES[:2]).match
    assert explain_leaving(two, (1, 2), NAMES) == {
        1: "The match ends, and Bea wins.",
        2: "The match ends, and Ada wins.",
    }
    assert explain_leaving(recorded("rings", NAMES[:3]).match, (2,), NAMES) == {2: "The others play on."}
