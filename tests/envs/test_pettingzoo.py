"""PettingZoo's own tests of our environments, and what they leave out."""

import warnings

import numpy as np
import pytest

with warnings.catch_warnings():
    # The module also imports an environment of PettingZoo's own in a way that PettingZoo deprecates.
    warnings.simplefilter("ignore")
    from pettingzoo.test import api_test, parallel_api_test, seed_test

from plyscribe.envs import pettingzoo
from plyscribe.envs.stepping import IllegalAction, score_ranks
from tests.envs.cases import CASES, VARIANTS

pytestmark = [
    # PettingZoo says so of every environment whose observations have a mask, unless it is one of its own.
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be gymnasium.spaces.box"),
]


def make(case, api=pettingzoo.env):
    return api(case.ruleset, case.seats, case.options)


every_case = pytest.mark.parametrize("case", [*CASES, *VARIANTS], ids=str)
for_some_cycles = pytest.mark.parametrize("cycles", [40, pytest.param(1_000, marks=pytest.mark.long)])


@every_case
@for_some_cycles
def test_pettingzoo_passes_the_environment(case, cycles):
    api_test(make(case.short(cycles // 2)), num_cycles=cycles)
    seed_test(lambda: make(case), num_cycles=cycles // 2)


@every_case
@for_some_cycles
def test_pettingzoo_passes_the_parallel_environment(case, cycles):
    parallel_api_test(make(case.short(cycles // 2), pettingzoo.parallel_env), num_cycles=cycles)


def play_out(env, choose=np.argmax):
    """Play a match, and return what each agent got in all and in its last step."""
    total, last = dict.fromkeys(env.possible_agents, 0.0), {}
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        total[agent] += reward
        over = termination or truncation
        last[agent] = info
        env.step(None if over else int(choose(observation["action_mask"])))
    return total, last


def test_a_match_ends_with_the_returns_of_its_ranks():
    env = pettingzoo.env("crystals", 3, {"ply_limit": 120})
    env.reset(seed=1)
    total, last = play_out(env)
    assert last["seat_1"]["reason"] == "ply-limit"
    assert list(total.values()) == score_ranks(last["seat_1"]["ranks"])
    assert any(total.values())


def test_only_the_seat_on_turn_has_ones_in_its_mask():
    env = pettingzoo.env("zhen")
    env.reset()
    assert env.observe("seat_1")["action_mask"].sum() == 10
    assert env.observe("seat_2")["action_mask"].sum() == 0


def test_a_move_of_two_ids_takes_two_steps_of_one_agent():
    env = pettingzoo.env("portals", options={"first": 2})
    env.reset()
    raw = env.unwrapped
    head, way = raw.table.find_ids(raw.position, next(iter_notations(raw)))
    assert env.agent_selection == "seat_2"
    env.step(head)
    assert env.agent_selection == "seat_2"
    env.step(way)
    assert env.agent_selection == "seat_1"


def iter_notations(raw):
    rules, state = raw.table.rules, raw.position.state
    return (rules.format_move(state, move) for move in rules.legal_moves(state))


def test_an_illegal_action_ends_a_wrapped_match_and_changes_no_raw_one():
    env = pettingzoo.env("zhen")
    env.reset()
    env.step(50)
    assert env.terminations == {"seat_1": True, "seat_2": True}
    assert env.rewards == {"seat_1": -1, "seat_2": 0}
    env.reset()
    with pytest.raises(AssertionError, match="action is not in action space"):
        env.step(110)
    raw = pettingzoo.raw_env("zhen")
    raw.reset()
    before = raw.position
    with pytest.raises(IllegalAction, match="not legal for seat 1"):
        raw.step(50)
    with pytest.raises(IllegalAction, match="seat_1 is to act"):
        raw.step(None)
    assert raw.position is before


def test_the_parallel_environment_wants_a_pass_of_all_others():
    env = pettingzoo.parallel_env("zhen", options={"ply_limit": 2})
    observations, _ = env.reset()
    assert [int(observation["action_mask"][env.passing]) for observation in observations.values()] == [0, 1]
    with pytest.raises(IllegalAction, match="seat_2 must pass, with action 110: seat 1 is on turn"):
        env.step({"seat_1": 0, "seat_2": 0})
    with pytest.raises(IllegalAction, match="seat_2 has no action"):
        env.step({"seat_1": 0})
    with pytest.raises(IllegalAction, match="not legal for seat 1"):
        env.step({"seat_1": env.passing, "seat_2": env.passing})
    env.step({"seat_1": 0, "seat_2": env.passing})
    _, rewards, terminations, _, infos = env.step({"seat_1": env.passing, "seat_2": 1})
    assert rewards == {"seat_1": 0, "seat_2": 0}
    assert terminations == {"seat_1": True, "seat_2": True}
    assert infos["seat_1"] == {"reason": "ply-limit", "ranks": (1, 1)}
    with pytest.raises(IllegalAction, match="the match is over"):
        env.step({"seat_1": 0, "seat_2": env.passing})


def test_both_environments_roll_the_same_dice_from_the_same_seed():
    aec, parallel = pettingzoo.env("rings"), pettingzoo.parallel_env("rings")
    aec.reset(seed=9)
    parallel.reset(seed=9)
    assert aec.unwrapped.position == parallel.position
    again = pettingzoo.env("rings")
    again.reset(seed=10)
    assert again.unwrapped.position != parallel.position


@pytest.mark.parametrize("api", [pettingzoo.env, pettingzoo.parallel_env])
def test_boards_are_printed_or_returned_as_text(api, capsys):
    env = api("zhen", render_mode="ansi")
    env.reset()
    assert "goal" in env.render()
    env = api("zhen", render_mode="human")
    env.reset()
    env.render()
    assert "goal" in capsys.readouterr().out
    with pytest.raises(ValueError, match="choose one of human, ansi"):
        api("zhen", render_mode="rgb_array")
    env = api("zhen").unwrapped
    env.reset()
    with pytest.raises(ValueError, match="has no render mode"):
        env.render()
