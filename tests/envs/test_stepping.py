"""Returns, dice and rulesets from outside."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from plyscribe.domain.errors import NotInPlay, OptionError, RollError, UnknownRuleset, WrongValue
from plyscribe.domain.ruleset import Decision, Over
from plyscribe.envs import gymnasium, openspiel, pettingzoo
from plyscribe.envs.spaces import Spaces, find_spaces, register_spaces
from plyscribe.envs.spaces.action_ids import Catalogue
from plyscribe.envs.stepping import Table, score_ranks
from tests.domain.toy import TOY_V1
from tests.envs.cases import CASES, play

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("ranks", "returns"),
    [
        ((1, 2), [1, -1]),
        ((1, 1), [0, 0]),
        ((2, 1, 3), [0, 1, -1]),
        ((1, 1, 3), [0.5, 0.5, -1]),
        ((1, 2, 2), [1, -0.5, -0.5]),
        ((4, 3, 2, 1), [-1, -1 / 3, 1 / 3, 1]),
        ((1, 1, 1, 1), [0, 0, 0, 0]),
    ],
)
def test_a_seat_gets_the_seats_behind_it_less_those_ahead_of_all_others(ranks, returns):
    assert score_ranks(ranks) == pytest.approx(returns)
    assert sum(score_ranks(ranks)) == pytest.approx(0)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_returns_are_those_of_the_ranks_once_the_match_is_over_and_0_before(case):
    table = case.short(12).table()
    ends = 0
    for position in play(table, 6, 400):
        turn = table.turn(position)
        expected = score_ranks(turn.ranks) if isinstance(turn, Over) else [0] * table.seats
        assert table.returns(position) == expected
        ends += isinstance(turn, Over)
    assert ends


def test_dice_fall_one_by_one_and_are_played_together():
    table = Table("rings", options={"terrain": ["LLLMMHH"] * 4})
    position = table.start()
    while isinstance(table.turn(position), Decision):
        position = table.act(position, table.list_ids(position)[0])
    for value in (1, 3, 6):
        position = table.roll_die(position, value)
    assert position.dice == (1, 3, 6)
    after = table.roll_die(position, 6)
    assert after.dice == ()
    assert table.rules.view(after.state)["dice"][0] == {"R": 1, "M": 1, "T": 2}
    with pytest.raises(RollError):
        table.roll_die(position, 7)


@pytest.mark.parametrize("make", [pettingzoo.env, openspiel.load, gymnasium.env, pettingzoo.parallel_env])
def test_what_cannot_be_played_is_refused_at_once(make):
    with pytest.raises(UnknownRuleset) as refused:
        make("chess")
    assert "zhen 1. Name one of your own in PLYSCRIBE_RULESETS=" in refused.value.__notes__[0]
    with pytest.raises(OptionError):
        make("zhen", 3)
    with pytest.raises(OptionError):
        make("zhen", options={"tiles": 3})
    with pytest.raises(UnknownRuleset):
        make("zhen", version=99)


def test_a_seat_or_an_opponent_that_does_not_exist_is_refused():
    with pytest.raises(NotInPlay):
        gymnasium.env("zhen", seat=3)
    with pytest.raises(WrongValue, match="greedy"):
        gymnasium.env("zhen", opponents="deep-blue")
    with pytest.raises(WrongValue, match="takes no playouts"):
        gymnasium.env("zhen", opponents="greedy:20")
    with pytest.raises(WrongValue, match="playouts"):
        gymnasium.env("zhen", opponents="mcts:many")
    with pytest.raises(ValueError, match="no opponent has seat 3"):
        gymnasium.env("rings", 3, opponents={2: "random"})
    with pytest.raises(TypeError, match="not 7"):
        gymnasium.env("zhen", opponents=7)


def test_a_ruleset_that_the_environment_names_is_found():
    code = "from plyscribe.envs.stepping import Table; print(Table('toy', 3).rules.title)"
    env = {**os.environ, "PLYSCRIBE_RULESETS": "tests.domain.toy:TOY_V1"}
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert ran.stdout == "Toy race\n"


def test_a_ruleset_from_outside_can_have_ids_of_its_own():
    mine = Spaces(lambda options, seats: Catalogue(["push", "hold"]))
    assert find_spaces(TOY_V1) == Spaces()
    with pytest.raises(ValueError, match="zhen version 1 has other spaces"):
        register_spaces("zhen", 1, mine)
    register_spaces("sample", 7, mine)
    register_spaces("sample", 7, mine)


@pytest.mark.parametrize(
    ("module", "missing", "extra"),
    [
        ("pettingzoo", "pettingzoo", "plyscribe[pettingzoo]"),
        ("gymnasium", "gymnasium", "plyscribe[gymnasium]"),
        ("openspiel", "pyspiel", "plyscribe[openspiel]"),
    ],
)
def test_a_missing_library_is_named_with_its_extra(module, missing, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, f"plyscribe.envs.{module}")
    with pytest.raises(ImportError, match=extra.replace("[", r"\[")):
        __import__(f"plyscribe.envs.{module}")
