"""Gymnasium's checker on our environments, and what the other seats do."""

import gymnasium as library
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from plyscribe.domain.bots import make_bot
from plyscribe.envs import gymnasium
from plyscribe.envs.stepping import IllegalAction
from tests.envs.cases import CASES, VARIANTS


def play_out(env, seed=None):
    """Play the first legal action until the match is over; the sum of rewards, and the last info."""
    total, over = 0.0, False
    _, info = env.reset(seed=seed)
    while not over:
        _, reward, over, _, info = env.step(int(info["action_mask"].argmax()))
        total += reward
    return total, info


@pytest.mark.parametrize("seat", [1, *(pytest.param(seat, marks=pytest.mark.long) for seat in range(2, 7))])
@pytest.mark.parametrize("case", [*CASES, *VARIANTS], ids=str)
def test_gymnasium_passes_the_environment_from_every_seat(case, seat):
    kwargs = {"ruleset_id": case.ruleset, "seats": case.seats, "options": case.options, "seat": min(seat, case.seats)}
    check_env(library.make(gymnasium.ENV_ID, render_mode="ansi", **kwargs).unwrapped)


@pytest.mark.long
@pytest.mark.parametrize("opponents", ["random", "greedy", "mcts:2"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_match_against_each_bot_ends_and_can_be_repeated(case, opponents):
    limited = case.short(60)
    env = gymnasium.env(limited.ruleset, limited.seats, limited.options, seat=None, opponents=opponents)
    [first, second] = [play_out(env, seed=5) for _ in range(2)]
    assert first[0] == second[0]
    assert first[1]["ranks"] == second[1]["ranks"]
    assert first[1]["seat"] == second[1]["seat"]


def test_the_reward_is_that_of_the_learners_seat():
    env = gymnasium.env("pathagon", options={"size": 5, "ply_limit": 60}, seat=2, opponents="greedy")
    total, info = play_out(env, seed=1)
    assert info["reason"] == "path"
    assert info["ranks"] == (1, 2)
    assert total == -1


def test_the_others_may_be_functions_bots_and_names():
    asked = []

    def first(observation, mask):
        asked.append((observation.shape, int(mask.sum())))
        return int(mask.argmax())

    opponents = {1: first, 3: make_bot("greedy", 4), 4: "random"}
    env = gymnasium.env("rings", 4, {"ply_limit": 60}, seat=2, opponents=opponents)
    play_out(env, seed=2)
    assert asked
    assert all(shape == env.observation_space.shape and legal for shape, legal in asked)


def test_the_others_choose_all_ids_of_their_moves():
    env = gymnasium.env("portals", options={"ply_limit": 10, "first": 2}, opponents=lambda _, mask: int(mask.argmax()))
    play_out(env)
    assert env.table.rules.view(env.position.state)["ply"] == 10


def test_an_illegal_action_ends_the_match_and_says_why():
    env = gymnasium.env("zhen")
    with pytest.raises(IllegalAction, match="reset the environment"):
        env.step(0)
    _, info = env.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, over, truncated, info = env.step(illegal)
    assert (reward, over, truncated) == (-1, True, False)
    assert "is not legal for seat 1" in info["illegal"]
    assert info["action_mask"].sum() == 0
    with pytest.raises(IllegalAction, match="reset the environment"):
        env.step(0)


def test_a_seed_repeats_seats_dice_and_bots():
    def play_many(seed):
        env = gymnasium.env("zhen", options={"ply_limit": 30}, seat=None)
        results = [play_out(env, seed=seed)]
        results += [play_out(env) for _ in range(6)]
        return [(total, info["seat"], info["ranks"]) for total, info in results]

    assert play_many(3) == play_many(3)
    assert {seat for _, seat, _ in play_many(3)} == {1, 2}
    assert play_many(3) != play_many(4)


def test_many_environments_run_side_by_side():
    envs = library.make_vec(gymnasium.ENV_ID, num_envs=3, ruleset_id="zhen", seat=None, opponents="greedy")
    observations, info = envs.reset(seed=1)
    assert observations.shape == (3, *envs.single_observation_space.shape)
    observations, rewards, *_ = envs.step(info["action_mask"].argmax(axis=1))
    assert rewards.shape == (3,)
    envs.close()


def test_sb3_finds_the_mask():
    env = gymnasium.env("zhen")
    _, info = env.reset()
    assert (env.action_masks() == info["action_mask"]).all()


def test_boards_are_printed_or_returned_as_text(capsys):
    env = gymnasium.env("zhen", render_mode="human")
    env.reset()
    env.step(0)
    assert "goal" in capsys.readouterr().out
    with pytest.raises(ValueError, match="choose one of human, ansi"):
        gymnasium.env("zhen", render_mode="rgb_array")
    with pytest.raises(ValueError, match="has no render mode"):
        gymnasium.env("zhen").render()
