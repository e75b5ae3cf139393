"""The trained example: its parts are right, and a short run learns and is measured."""

import importlib.util
from pathlib import Path
from random import Random

import numpy as np
import pytest

from plyscribe.envs.stepping import Table

FILE = Path(__file__).parents[2] / "examples" / "ppo_pathagon.py"


@pytest.fixture(scope="module")
def ppo():
    spec = importlib.util.spec_from_file_location("ppo_pathagon", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_turned_board_has_the_turned_moves_and_every_match_goes_from_bottom_to_top(ppo):
    table = Table("pathagon", options={"size": 5})
    symmetries = ppo.Symmetries(table.actions.notations, 5)
    random, position = Random(2), table.start()
    for ply in range(40):
        seat = 1 + ply % 2
        planes, mask = table.observe(position, seat), table.mask(position)
        names = table.observer.names
        for (transposed, up, aside), actions in symmetries.turned.items():
            turned = dict(zip(names, symmetries.turn(planes, (transposed, up, aside)), strict=True))
            empty = (turned["your pieces"] + turned["enemy pieces"] + turned["closed"] == 0).ravel()
            legal = mask[actions].nonzero()[0]
            assert set(symmetries.targets[legal]) == set(empty.nonzero()[0])
            if transposed == (seat == 2):
                assert turned["your edges"][0].all()
                assert turned["your edges"][-1].all()
            assert sorted(actions) == list(range(len(mask)))
        position = table.act(position, random.choice(table.list_ids(position)))
        if table.returns(position) != [0, 0]:
            break


def test_advantages_are_sums_of_what_comes_until_the_match_ends(ppo):
    rewards = np.array([[0.0], [1.0], [0.0]])
    overs = np.array([[0.0], [1.0], [0.0]])
    values = np.array([[0.2], [0.4], [0.1]])
    advantages = ppo.find_advantages(rewards, overs, values, np.array([0.5]), decay=1.0)
    assert advantages[:, 0] == pytest.approx([1 - 0.2, 1 - 0.4, 0.5 - 0.1])


def test_the_interval_counts_a_draw_as_half_a_win(ppo):
    score, low, high = ppo.find_interval([1.0] * 60 + [0.0] * 20 + [-1.0] * 20)
    assert score == pytest.approx(0.7)
    assert (low, high) == pytest.approx((0.604, 0.781), abs=1e-3)
    assert ppo.find_interval([1.0] * 400)[1:] == pytest.approx((0.990, 1.0), abs=1e-3)


def test_a_short_run_is_measured_from_both_seats(ppo, tmp_path, capsys):
    file = tmp_path / "network.npz"
    small = ["--envs", "4", "--steps", "8", "--updates", "3", "--warmup", "1", "--channels", "4", "--epochs", "1"]
    scores = ppo.main([*small, "--matches", "6", "--out", str(file), "--opponents", "greedy,random"])
    assert list(scores) == ["greedy", "random"]
    assert all(0 <= low <= score <= high <= 1 for score, low, high in scores.values())
    assert capsys.readouterr().out.count("6 matches, half from each seat") == 2
    assert len(np.load(file)) == 14


@pytest.mark.long
def test_a_longer_run_learns_to_beat_random_play(ppo):
    args = ppo.Args(updates=30, warmup=30, envs=16, matches=60)
    learner, symmetries = ppo.train(args)
    _, low, _ = ppo.find_interval(ppo.play_matches(learner, symmetries, args, "random"))
    assert low > 0.5
