"""OpenSpiel's own simulation of our games, with states written and read, and what it leaves out."""

import pickle
from random import Random

import numpy as np
import pyspiel
import pytest
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import mcts
from open_spiel.python.observation import make_observation

from plyscribe.envs import openspiel
from plyscribe.envs.spaces import Spaces, register_spaces
from plyscribe.envs.stepping import Table
from tests.domain.toy import ToyV1
from tests.envs.cases import CASES, VARIANTS, Case

CHANCE = [Case("crystals"), Case("portals"), Case("rings", 3)]
MODES = pyspiel.GameType.ChanceMode


def load(case, **more):
    return openspiel.load(case.ruleset, case.seats, case.options, **more)


@pytest.mark.parametrize("case", [*CASES, *VARIANTS], ids=str)
@pytest.mark.parametrize("plies", [12, pytest.param(300, marks=pytest.mark.long)])
def test_openspiel_simulates_the_game_and_writes_its_states(case, plies):
    pyspiel.random_sim_test(load(case.short(plies)), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("case", CHANCE, ids=str)
def test_openspiel_simulates_the_game_with_sampled_rolls(case):
    pyspiel.random_sim_test(load(case.short(12), chance="sampled"), num_sims=2, serialize=False, verbose=False)


def play(state, seed, steps=10_000):
    random = Random(seed)
    while steps and not state.is_terminal():
        actions = [action for action, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        state.apply_action(random.choice(actions))
        steps -= 1
    return state


def test_a_roll_of_four_dice_is_four_chance_nodes_or_one_sampled():
    options = {"terrain": ["LLLMMHH"] * 4}
    explicit, sampled = (openspiel.load("rings", options=options, chance=chance) for chance in ("explicit", "sampled"))
    assert explicit.get_type().chance_mode == MODES.EXPLICIT_STOCHASTIC
    assert sampled.get_type().chance_mode == MODES.SAMPLED_STOCHASTIC
    assert openspiel.load("zhen").get_type().chance_mode == MODES.DETERMINISTIC
    for game, nodes in ((explicit, 4), (sampled, 1)):
        state = play(game.new_initial_state(), 1, steps=2)
        for _ in range(nodes):
            assert len(state.chance_outcomes()) == (6 if game is explicit else 1)
            state.apply_action(0)
        assert sum(Table("rings").rules.view(state.position.state)["dice"][0].values()) == 4


def test_a_sampled_game_rolls_the_same_dice_from_the_same_seed():
    def describe(seed):
        return str(play(openspiel.load("rings", chance="sampled", seed=seed).new_initial_state(), 1, steps=40))

    assert describe(1) == describe(1)
    assert describe(1) != describe(2)


def test_a_die_with_too_many_sides_is_sampled():
    class Wide(ToyV1):
        id = "wide"

    from plyscribe.domain.rulesets import RULESETS, register

    register(Wide())
    try:
        register_spaces("wide", 1, Spaces(most_sides=5_000))
        assert openspiel.load("wide").get_type().chance_mode == MODES.SAMPLED_STOCHASTIC
        with pytest.raises(ValueError, match="chance='sampled'"):
            openspiel.load("wide", chance="explicit")
    finally:
        RULESETS[:] = [ruleset for ruleset in RULESETS if ruleset.id != "wide"]
    with pytest.raises(ValueError, match="choose explicit, sampled or None"):
        openspiel.load("zhen", chance="fair")


def test_a_match_ends_with_the_returns_of_its_ranks():
    game = openspiel.load("crystals", 3, {"ply_limit": 120})
    state = play(game.new_initial_state(), 7)
    assert state.returns() == game.table.returns(state.position)
    assert sum(state.returns()) == pytest.approx(game.utility_sum())
    assert any(state.returns())


def test_games_and_states_are_read_where_they_were_not_made():
    game = openspiel.load("rings", 3, {"ply_limit": 60})
    state = play(game.new_initial_state(), 3, steps=60)
    again = pyspiel.load_game(str(game)).deserialize_state(state.serialize())
    assert again.observation_string(0) == state.observation_string(0)
    assert again.history() == state.history()
    [same_game, same_state] = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    assert str(same_game) == str(game)
    assert same_state.position == state.position
    assert pickle.loads(pickle.dumps(state)).position == state.position


def test_a_copy_of_a_state_goes_its_own_way():
    state = play(openspiel.load("pathagon").new_initial_state(), 3, steps=9)
    copy = state.clone()
    before = str(state)
    copy.apply_action(copy.legal_actions()[0])
    assert str(state) == before
    assert str(copy) != before


def test_actions_have_words():
    state = openspiel.load("pathagon", options={"size": 5}).new_initial_state()
    assert state.action_to_string(0, 0) == "a1"
    assert state.legal_actions() == list(range(25))
    roll = openspiel.load("rings").new_initial_state()
    assert roll.action_to_string(pyspiel.PlayerId.CHANCE, 41) == "die 42"
    sampled = openspiel.load("rings", chance="sampled").new_initial_state()
    assert sampled.action_to_string(pyspiel.PlayerId.CHANCE, 0) == "roll"


def test_players_see_the_planes_of_their_seat():
    game = openspiel.load("zhen")
    state = play(game.new_initial_state(), 3, steps=9)
    observer = make_observation(game)
    for player in (0, 1):
        planes = game.table.observe(state.position, player + 1)
        observer.set_from(state, player)
        assert (observer.dict["planes"] == planes).all()
        assert state.observation_tensor(player) == planes.ravel().tolist()
    assert game.observation_tensor_shape() == list(planes.shape)
    assert observer.string_from(state, 0) == state.observation_string(0)
    assert not np.array_equal(*(state.observation_tensor(player) for player in (0, 1)))


def test_a_match_is_no_longer_than_openspiel_is_told():
    assert openspiel.load("portals").max_game_length() == 2 * 300
    assert openspiel.load("zhen", options={"ply_limit": None}).max_game_length() == 1_000_000
    assert openspiel.load("zhen").max_chance_nodes_in_history() == 0
    assert openspiel.load("rings").max_chance_nodes_in_history() == 16 * 2_500


@pytest.mark.parametrize("case", [Case("portals", 3), Case("rings", 2)], ids=str)
def test_the_environment_of_openspiel_runs_our_games(case):
    env = rl_environment.Environment(load(case.short(6)))
    env.seed(3)
    step = env.reset()
    while not step.last():
        player = step.current_player()
        assert len(step.observations["info_state"][player]) == np.prod(env.game.observation_tensor_shape())
        step = env.step([step.observations["legal_actions"][player][0]])
    assert sum(step.rewards) == pytest.approx(0)


def test_an_mcts_of_openspiel_plays_our_games():
    random = np.random.RandomState(1)
    game = openspiel.load("pathagon", options={"size": 5})
    bot = mcts.MCTSBot(game, 2, 5, mcts.RandomRolloutEvaluator(1, random), random_state=random)
    state = game.new_initial_state()
    assert bot.step(state) in state.legal_actions()
