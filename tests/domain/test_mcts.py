"""The search of `mcts`: tactics, dice, rulesets that say nothing about positions, and the same moves everywhere."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from plyscribe.domain.bots import GreedyBot, choose_move
from plyscribe.domain.events import BuiltIn
from plyscribe.domain.mcts import _Tree, search, weigh_moves
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, Roll
from plyscribe.domain.rulesets import RULESETS
from plyscribe.domain.rulesets.pathagon_v1 import PATHAGON_V1, PathagonV1
from plyscribe.domain.rulesets.zhen_v1 import ZHEN_V1

SHORT: dict[str, dict[str, Any]] = {
    "pathagon": {"size": 5},
    "rings": {"target": 3},
    "portals": {"radius": 2, "pool": 2},
}
"""Options that end matches soon."""

every_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: f"{ruleset.id}_v{ruleset.version}")


def walk(ruleset: AnyRuleset, seed: int, plies: int = 300, **options: Any) -> Iterator[Any]:
    """The positions of a match between greedy bots that wait for a decision."""
    random, bot = Random(seed), GreedyBot(seed)
    state = ruleset.initial_state(ruleset.parse_options({**SHORT.get(ruleset.id, {}), **options}), 2)
    while not isinstance(turn := ruleset.turn(state), Over) and plies:
        if isinstance(turn, Roll):
            state = ruleset.apply_roll(state, tuple(random.randint(1, turn.sides) for _ in range(turn.count)))
            continue
        yield state
        plies -= 1
        state = ruleset.apply_move(state, bot.choose_move(ruleset, state))


def list_wins(ruleset: AnyRuleset, state: Any) -> list[Any]:
    """The moves that end the match with a win for the seat that makes them."""
    seat = ruleset.turn(state).seat
    found = []
    for move in ruleset.legal_moves(state):
        turn = ruleset.turn(ruleset.apply_move(state, move))
        if isinstance(turn, Over) and turn.ranks[seat - 1] < max(turn.ranks):
            found.append(move)
    return found


def find_wins(ruleset: AnyRuleset, count: int) -> Iterator[tuple[Any, list[Any]]]:
    """So many positions where some of the moves win at once, and these moves."""
    for seed in range(100):
        for state in walk(ruleset, seed):
            wins = list_wins(ruleset, state)
            if wins and len(wins) < sum(1 for _ in ruleset.legal_moves(state)):
                yield state, wins
                count -= 1
                break
        if not count:
            return
    raise AssertionError(f"no match of {ruleset.id} comes to a win")


@every_ruleset
def test_a_win_in_one_move_is_taken(ruleset: AnyRuleset) -> None:
    for state, wins in find_wins(ruleset, 3):
        assert search(ruleset, state, 30, Random(1).randrange) in wins


@pytest.mark.parametrize("ruleset", [ZHEN_V1, PATHAGON_V1], ids=lambda ruleset: ruleset.id)
def test_a_loss_in_one_move_is_avoided(ruleset: AnyRuleset) -> None:
    tried = 0
    for seed in range(20):
        for state in walk(ruleset, seed):
            after = {move: ruleset.apply_move(state, move) for move in ruleset.legal_moves(state)}
            is_safe = {
                move: isinstance(ruleset.turn(each), Over) or not list_wins(ruleset, each)
                for move, each in after.items()
            }
            if any(is_safe.values()) and not all(is_safe.values()):
                assert is_safe[search(ruleset, state, 200, Random(1).randrange)]
                tried += 1
        if tried > 5:
            return
    raise AssertionError(f"no match of {ruleset.id} comes to a loss that can be avoided")


class Wager:
    """Seat 1 keeps what is sure, or rolls a die for what it pays: `sure`, and `prizes` by what the die shows."""

    def __init__(self, sure: int, *prizes: tuple[int, ...]) -> None:
        self.sure, self.prizes = sure, prizes

    def turn(self, state: tuple[str, int]) -> Any:
        return Roll(6, 1, "wager", 1) if state[0] == "roll" else Decision(1)

    def legal_moves(self, state: tuple[str, int]) -> list[int]:
        """-1 keeps; others roll for these prizes. Afterwards nothing changes any more."""
        return [-1, *range(len(self.prizes))] if state[0] == "choice" else [-1]

    def sample_move(self, state: tuple[str, int], randbelow: Any) -> int:
        return randbelow(len(self.legal_moves(state))) - 1

    def apply_move(self, state: tuple[str, int], move: int) -> tuple[str, int]:
        if state[0] == "paid":
            return state
        return ("paid", self.sure) if move < 0 else ("roll", move)

    def apply_roll(self, state: tuple[str, int], values: tuple[int, ...]) -> tuple[str, int]:
        return ("paid", self.prizes[state[1]][values[0] - 1])

    def standing(self, state: tuple[str, int]) -> tuple[int, ...]:
        return (1, 1)

    def evaluate(self, state: tuple[str, int], seat: int) -> int:
        gold = state[1] if state[0] == "paid" else 0
        return gold if seat == 1 else -gold


def choose_wager(seed: int, playouts: int, sure: int, *prizes: tuple[int, ...]) -> int:
    ruleset: Any = Wager(sure, *prizes)
    return search(ruleset, ("choice", 0), playouts, Random(seed).randrange)


def test_a_roll_is_worth_what_it_pays_on_average() -> None:
    for seed in range(20):
        assert choose_wager(seed, 60, 3, (0, 0, 9, 9, 9, 9)) == 0
        assert choose_wager(seed, 60, 3, (0, 0, 0, 0, 0, 9)) == -1
        assert choose_wager(seed, 60, 3, (4, 4, 4, 4, 4, 4)) == 0
        assert choose_wager(seed, 60, 3, (0, 0, 3, 3, 3, 3)) == -1


def test_moves_are_compared_with_the_same_dice() -> None:
    low, high = (0, 3, 6, 9, 12, 15), (1, 4, 7, 10, 13, 16)
    assert {choose_wager(seed, 12, -9, low, high) for seed in range(40)} == {1}


class Silent(PathagonV1):
    """Pathagon with an `evaluate` that says nothing, not even who has won."""

    def evaluate(self, state: Any, seat: int) -> int:
        return 0


def play(ruleset: AnyRuleset, mine: int, seed: int, playouts: int, **options: Any) -> bool:
    """Whether the search beats random moves from this seat."""
    random = Random(seed)
    state = ruleset.initial_state(ruleset.parse_options(options), 2)
    while not isinstance(turn := ruleset.turn(state), Over):
        if turn.seat == mine:
            move = search(ruleset, state, playouts, random.randrange)
        else:
            move = ruleset.sample_move(state, random.randrange)
        state = ruleset.apply_move(state, move)
    return bool(turn.ranks[mine - 1] < turn.ranks[2 - mine])


def test_a_ruleset_that_says_nothing_about_positions_is_searched_by_random_play() -> None:
    assert sum(play(Silent(), 1 + seed % 2, seed, 40, size=5) for seed in range(8)) >= 7


def test_with_so_few_playouts_that_nothing_can_be_compared_it_is_greedy() -> None:
    state = next(walk(PATHAGON_V1, 1))
    for playouts in (1, 2, 3):
        move = search(PATHAGON_V1, state, playouts, Random(1).randrange)
        values = {
            each: PATHAGON_V1.evaluate(PATHAGON_V1.apply_move(state, each), 1)
            for each in PATHAGON_V1.legal_moves(state)
        }
        assert values[move] == max(values.values())


@every_ruleset
def test_no_more_playouts_are_made_than_asked_for(ruleset: AnyRuleset, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    real = _Tree._play_out
    monkeypatch.setattr(_Tree, "_play_out", lambda *given: made.append(given) or real(*given))
    state = next(walk(ruleset, 1))
    for playouts in (1, 4, 7, 50):
        found = weigh_moves(ruleset, state, playouts, Random(2).randrange)
        assert len(made) <= playouts
        assert len(made) >= playouts - 1 or len(found) == 1
        made.clear()


PINNED: dict[str, tuple[str, str]] = {
    "crystals": ("spawn scout spawn tower spawn miner xp tower", "spawn scout spawn rider spawn miner xp tower"),
    "pathagon": ("b1 d2 e1 d2", "c1 d2 e3 d2"),
    "portals": (
        "enter portal b2 >c3 portal b1 <b2 portal b4 <a3",
        "portal b2 <c3 portal b2 >c3 portal b1 <b2 portal b4 <c4",
    ),
    "rings": ("R +warrior M warrior b2-d2 drop M T spin c -", "M +warrior M warrior b2-d2 drop M T spin c -"),
    "toy": ("give 2 1 give 1 1", "push give 1 1"),
    "zhen": ("+3 9-10 +5 3-4", "+3 9-10 +9 1-2"),
}
"""What versions 1 and 2 play with seed 5 and 40 playouts, in four positions of a match."""


@every_ruleset
@pytest.mark.parametrize("version", [1, 2])
def test_a_version_plays_the_same_moves_everywhere_and_for_ever(ruleset: AnyRuleset, version: int) -> None:
    build = BuiltIn("mcts", version, 5, 40)
    states = list(walk(ruleset, 1))[2:20:5]
    moves = [choose_move(build, ruleset, state, ruleset.turn(state).seat, 0) for state in states]
    played = " ".join(ruleset.format_move(state, move) for state, move in zip(states, moves, strict=True))
    assert played == PINNED[ruleset.id][version - 1]
