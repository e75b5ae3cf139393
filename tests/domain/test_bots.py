"""Bots: repeatable, legal, the greedy one stronger than chance, and search stronger than greed."""

from random import Random

import pytest

from plyscribe.domain.bots import BOTS, MOST_MOVES, Bot, make_bot
from plyscribe.domain.errors import WrongValue
from plyscribe.domain.levels import list_levels
from plyscribe.domain.ruleset import AnyRuleset, Over, Roll
from plyscribe.domain.rulesets.crystals_v1 import CRYSTALS_V1
from plyscribe.domain.rulesets.pathagon_v1 import PATHAGON_V1, PathagonV1
from plyscribe.domain.rulesets.rings_v1 import RINGS_V1
from plyscribe.domain.rulesets.zhen_v1 import ZHEN_V1

BOTH = pytest.mark.parametrize("ruleset", [PATHAGON_V1, ZHEN_V1], ids=lambda ruleset: ruleset.id)


def play(ruleset: AnyRuleset, *bots: Bot, dice: int = 0, **options: object) -> tuple[list[str], Over]:
    """The notations of a match between the bots, one a seat, and its end; `dice` is a seed."""
    state, moves, random = ruleset.initial_state(ruleset.parse_options(options), len(bots)), [], Random(dice)
    while not isinstance(turn := ruleset.turn(state), Over):
        if isinstance(turn, Roll):
            state = ruleset.apply_roll(state, tuple(random.randint(1, turn.sides) for _ in range(turn.count)))
            continue
        move = bots[turn.seat - 1].choose_move(ruleset, state)
        assert move in list(ruleset.legal_moves(state))
        moves.append(ruleset.format_move(state, move))
        state = ruleset.apply_move(state, move)
    return moves, turn


def test_an_unknown_bot_is_refused_with_the_names_that_exist() -> None:
    with pytest.raises(WrongValue, match="unknown bot 'clever'; the bots are random, greedy, mcts") as refused:
        make_bot("clever", 1)
    assert refused.value.code == "bot/unknown"
    assert refused.value.details == {"known": ["random", "greedy", "mcts"]}


@BOTH
@pytest.mark.parametrize("name", BOTS)
def test_the_same_seed_plays_the_same_match(ruleset: AnyRuleset, name: str) -> None:
    first, again, other = (
        play(ruleset, make_bot(name, seed), make_bot(name, seed + 1), ply_limit=30)[0] for seed in (1, 1, 3)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    ("ruleset", "seats", "least"),
    [(PATHAGON_V1, 2, 16), (ZHEN_V1, 2, 16), *((CRYSTALS_V1, seats, 14) for seats in (2, 3, 4))],
)
def test_greedy_beats_random_bots_whatever_the_dice(ruleset: AnyRuleset, seats: int, least: int) -> None:
    wins = 0
    for seed in range(20):
        greedy_seat = 1 + seed % seats
        bots = [make_bot("greedy" if seat == greedy_seat else "random", seed) for seat in range(1, seats + 1)]
        wins += play(ruleset, *bots, dice=seed)[1].ranks[greedy_seat - 1] == 1
    assert wins >= least


def test_greedy_draws_a_sample_where_moves_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plyscribe.domain.bots.MOST_MOVES", 10)
    state = PATHAGON_V1.initial_state(PATHAGON_V1.parse_options({}), 2)
    evaluated = []

    class Counted(PathagonV1):
        def evaluate(self, state: object, seat: int) -> int:
            evaluated.append(state)
            return 0

    assert MOST_MOVES == 500
    make_bot("greedy", 1).choose_move(Counted(), state)
    assert len(evaluated) == 10


@pytest.mark.parametrize("ruleset", [ZHEN_V1, PATHAGON_V1], ids=lambda ruleset: ruleset.id)
def test_mcts_beats_greedy(ruleset: AnyRuleset) -> None:
    options = {"size": 5} if ruleset is PATHAGON_V1 else {}
    wins = 0
    for seed in range(8):
        seat = 1 + seed % 2
        bots = [make_bot("mcts" if at == seat else "greedy", seed) for at in (1, 2)]
        wins += play(ruleset, *bots, **options)[1].ranks[seat - 1] == 1
    assert wins >= 6


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_mcts_plays_with_dice_at_any_number_of_seats(seats: int) -> None:
    for ruleset in (CRYSTALS_V1, RINGS_V1):
        bots = [make_bot("mcts", seat, 3) for seat in range(1, seats + 1)]
        assert play(ruleset, *bots, ply_limit=20)[1].reason == "ply-limit"


def test_mcts_draws_a_sample_where_moves_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plyscribe.domain.mcts.MOST_AT_ROOT", 3)
    monkeypatch.setattr("plyscribe.domain.mcts.MOST", 2)
    moves, over = play(PATHAGON_V1, make_bot("mcts", 1, 10), make_bot("mcts", 2, 10), ply_limit=20)
    assert len(moves) == 20 or over.reason == "path"


def test_levels_have_no_more_playouts_than_somebody_may_have() -> None:
    assert [level.name for level in list_levels(10_000)] == ["beginner", "casual", "club", "strong"]
    assert [(level.name, level.playouts) for level in list_levels(500)][2:] == [("club", 200), ("strong", 500)]
    assert [(level.name, level.playouts) for level in list_levels(50)][2:] == [("club", 50)]
