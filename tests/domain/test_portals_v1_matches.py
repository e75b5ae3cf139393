"""Portals: what holds in every match whatever is played, and that no move is made which nobody asked for."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice, pairwise, product
from random import Random
from typing import Any

import pytest

from plyscribe.domain.bots import make_bot
from plyscribe.domain.errors import BadNotation
from plyscribe.domain.proofs.perft import fixed_randbelow
from plyscribe.domain.proofs.playthrough import parse_step
from plyscribe.domain.ruleset import Decision, Over, Roll
from plyscribe.domain.rulesets.portals_v1 import PORTALS_V1, actions, moves, notation
from plyscribe.domain.rulesets.portals_v1.actions import can_act, find_launches, find_sites
from plyscribe.domain.rulesets.portals_v1.board import ARROWS_WITHIN, each, find_arrows, lay_board
from plyscribe.domain.rulesets.portals_v1.state import DECISIONS, State, find_colour
from tests.domain.portals import ends, legal, look, pawns_of, play, position, start

VARIANTS = [
    {"radius": 2 + index % 3, "pool": 2 + index, "demons": demons, "capacity": capacity, "dice": dice}
    for index, (demons, capacity, dice) in enumerate(product((False, True), (1, 3, None), (False, True)))
]
every_variant = pytest.mark.parametrize("options", VARIANTS, ids=lambda options: " ".join(map(str, options.values())))


def wander(options: dict[str, Any], seed: int = 1) -> Iterator[tuple[State, str | tuple[int, ...], State]]:
    """The steps of random matches of 2 to 6 seats: the state before, the move or roll or leaver, the state after."""
    rng = Random(seed)
    for seats in range(2, 7):
        state = start(seats, **{**options, "first": "roll"})
        while not isinstance(turn := PORTALS_V1.turn(state), Over):
            step: str | tuple[int, ...]
            in_play = [seat for seat in range(1, seats + 1) if seat not in state.left]
            if rng.random() < 0.003:
                leaver = rng.choice(in_play)
                step, after = f"withdraw {leaver}", PORTALS_V1.withdraw(state, leaver)
            elif isinstance(turn, Roll):
                step = (rng.randint(1, 8),)
                after = PORTALS_V1.apply_roll(state, step)
            else:
                move = PORTALS_V1.sample_move(state, rng.randrange)
                step, after = PORTALS_V1.format_move(state, move), PORTALS_V1.apply_move(state, move)
            yield state, step, after
            state = after


@every_variant
def test_what_holds_after_every_step(options: dict[str, Any]) -> None:
    most = options["capacity"] or float("inf")
    for before, _, after in wander(options):
        require_pawns(after, options, most)
        assert after.net & before.net == before.net
        assert after.portals & before.portals == before.portals
        assert after.platforms & before.platforms == before.platforms
        assert not after.platforms & after.portals
        for portal in each(after.portals):
            arrows = find_arrows(after.setup.board, after.net, portal)
            assert 1 <= arrows.bit_count() <= 6
            assert not arrows & arrows >> 6


def require_pawns(state: State, options: dict[str, Any], most: float) -> None:
    """None is lost; a platform holds one colour and no more than it may; demons come with their variant alone."""
    found: Counter[object] = Counter()
    for platform in look(state, "platforms").values():
        found[platform["colour"]] += platform["pawns"]
        assert platform["pawns"] <= most
    held = [pool + found[seat] for seat, pool in enumerate(look(state, "pool"), 1)]
    assert held == [options["pool"]] * state.setup.seats
    assert options["demons"] or not state.pawns[0]
    assert sum(fields.bit_count() for fields in state.pawns) == state.taken.bit_count()
    assert not state.taken & ~state.platforms
    taken = [bool(platform["pawns"]) for platform in look(state, "platforms").values()]
    assert taken == [find_colour(state, number) is not None for number in each(state.platforms)]


@every_variant
def test_no_two_rolls_come_without_a_decision_unless_nothing_was_possible(options: dict[str, Any]) -> None:
    for before, step, after in wander(options):
        turn, then = PORTALS_V1.turn(before), PORTALS_V1.turn(after)
        if isinstance(turn, Roll) and turn.purpose == "action" and isinstance(then, Roll) and isinstance(step, tuple):
            stuck = before._replace(d8=step[0], turn=DECISIONS[turn.seat or 0])
            assert legal(stuck) == []
            assert before._replace(turn=then) == after


@every_variant
def test_a_seat_can_act_exactly_where_it_has_a_move(options: dict[str, Any]) -> None:
    for _, _, state in islice(wander({**options, "dice": False}), 0, None, 7):
        seats = [seat for seat in range(1, state.setup.seats + 1) if seat not in state.left]
        for seat in seats:
            asked = state._replace(turn=DECISIONS[seat])
            assert can_act(state, seat) == any(True for _ in PORTALS_V1.legal_moves(asked))
            launchable = {portal for portal in each(state.portals) if find_launches(state, seat, portal)}
            assert set(each(find_sites(state, seat, moves.LAUNCH))) == launchable


@every_variant
def test_po9_exactly_the_seats_that_are_skipped_are_passed_over(options: dict[str, Any]) -> None:
    for before, step, after in wander({**options, "radius": 2, "dice": False, "ply_limit": 60}):
        on_turn, then = PORTALS_V1.turn(before), PORTALS_V1.turn(after)
        text = f"roll {step[0]}" if isinstance(step, tuple) else step if "withdraw" in step else f"move {step}"
        effects = PORTALS_V1.effects(before, parse_step(PORTALS_V1, before, text), after)
        said = [effect.owner for effect in effects if effect.kind == "passed"]
        stays = "withdraw" in step and then == on_turn
        if isinstance(on_turn, Roll) or isinstance(then, Over) or stays:
            assert said == []
            continue
        assert isinstance(on_turn, Decision)
        seats = after.setup.seats
        following = [(on_turn.seat + ahead - 1) % seats + 1 for ahead in range(1, seats + 1)]
        in_play = [seat for seat in following if seat not in after.left]
        assert said == in_play[: in_play.index(then.seat)]


# ---- nothing is listed that nobody asked for


@pytest.fixture
def crowded() -> State:
    """A board of radius 8 on which each empty field has about three platforms and three portals beside it."""
    board = lay_board(8)
    thirds = {name: (number // board.stride + number % board.stride) % 3 for number, name in board.names.items()}
    taken = {board.names[number] for number in (board.center, board.corners[0], board.corners[3])}
    platforms = [f"platform {name}" for name, third in thirds.items() if third == 0 and name not in taken]
    pairs = pairwise(board.names.values())
    portals = [f"portal {name} <{left}" for left, name in pairs if thirds[name] == 1 and left[0] == name[0]]
    return position([*platforms, *(build for build in portals if build.split()[1] not in taken)], radius=8)


@pytest.fixture
def counted(crowded: State, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The fields of which moves are made, from now on."""
    asked: list[int] = []
    find_ways = actions.find_ways

    def count(state: State, seat: int, kind: int, number: int) -> tuple[int, ...]:
        asked.append(number)
        return find_ways(state, seat, kind, number)

    monkeypatch.setattr(actions, "find_ways", count)
    monkeypatch.setattr(notation, "find_ways", count)
    return asked


def test_the_first_moves_come_before_the_others_are_made(crowded: State, counted: list[int]) -> None:
    assert len(list(islice(PORTALS_V1.legal_moves(crowded), 3))) == 3
    assert len(counted) <= 3
    assert len(legal(crowded)) > 1000


def test_a_prefix_makes_moves_of_its_field_alone(crowded: State, counted: list[int]) -> None:
    site = next(each(find_sites(crowded, 1, moves.PLATFORM)))
    name = crowded.setup.board.names[site]
    assert legal(crowded, f"platform {name}")
    assert counted == [site]
    assert legal(crowded, f"platform {name} <") != []
    assert counted == [site, site]


def test_a_sampled_move_makes_moves_of_its_field_alone(crowded: State, counted: list[int]) -> None:
    rng = Random(1)
    for drawn in range(50):
        assert len(counted) == drawn
        PORTALS_V1.sample_move(crowded, rng.randrange)


def test_checking_and_playing_a_move_lists_none(crowded: State, counted: list[int]) -> None:
    site = next(each(find_sites(crowded, 1, moves.PLATFORM)))
    text = legal(crowded, f"platform {crowded.setup.board.names[site]}")[0]
    counted.clear()
    PORTALS_V1.apply_move(crowded, PORTALS_V1.parse_move(crowded, text))
    assert counted == []


def test_a_kind_of_action_is_drawn_first_and_each_that_is_possible_is_as_likely() -> None:
    state, rng = position(["portal d3 >c3", "portal b3 <a3"]), Random(1)
    drawn = Counter(moves.WORDS[PORTALS_V1.sample_move(state, rng.randrange)[0]] for _ in range(4_000))
    assert set(drawn) == {"portal", "platform", "launch", "enter"}
    assert all(900 < times < 1_100 for times in drawn.values())


def test_every_legal_move_is_drawn_sooner_or_later() -> None:
    state = position(["portal d3 <c3", "platform d2 >d3", "platform d4 <d3"], "c3:* d2:1", demons=True)
    randbelow = fixed_randbelow("portals")
    drawn = {PORTALS_V1.format_move(state, PORTALS_V1.sample_move(state, randbelow)) for _ in range(4_000)}
    assert drawn == set(legal(state))


@pytest.mark.parametrize("randbelow", [lambda n: 0, lambda n: n - 1])
def test_a_move_is_drawn_even_by_a_generator_that_always_says_the_same(randbelow: Any) -> None:
    for state in (start(), position([], "d2:1", full=True)):
        assert PORTALS_V1.format_move(state, PORTALS_V1.sample_move(state, randbelow)) in legal(state)


# ---- notation


def test_lists_are_sorted_by_letter_then_by_number() -> None:
    assert legal(position(["portal b10", "portal b9"], radius=8, seats=3), "platform c10 <") == [
        "platform c10 <b9",
        "platform c10 <b10",
        "platform c10 <b9,b10",
        "platform c10 <b10 >b9",
        "platform c10 <b9 >b10",
    ]


@pytest.mark.parametrize(
    "text",
    [
        *("portal", "portal ", "portal z9", "portal f1", "portal d03 <e3", "portal D3 <e3", "portal d3  <e3"),
        *("portal d3 <e3 ", " portal d3 <e3", "portal d3 < e3", "portal d3 <", "portal d3 >c3 <e3", "portal d3 <e3,c3"),
        *("portal d3 <c3,c3", "portal d3 <c3,", "portal d3 <c3 <e3", "portal d3 <c9", "portal d3,<c3", "portal d3 c3"),
        *("platform", "launch", "launch d9", "launch d3 demons", "launch d3 demons c4,c3", "launch d3 demons c9"),
        *("launch d3 demons <c3", "launch d3 <c3", "enter e3", "exit 1", "Enter", "pass", "launch d3 demons c3 e3"),
    ],
)
def test_other_texts_are_bad_notation(text: str) -> None:
    with pytest.raises(BadNotation):
        PORTALS_V1.parse_move(start(), text)


def test_all_ways_to_draw_arrows_are_told_apart() -> None:
    assert [len(ways) for ways in ARROWS_WITHIN] == [3 ** directions.bit_count() - 1 for directions in range(64)]
    assert all(len(set(ways)) == len(ways) for ways in ARROWS_WITHIN)


# ---- drawing and evaluation


def test_the_drawing_shows_elements_arrows_pawns_and_what_is_beside_the_board() -> None:
    net = ["portal d3 <e3 >c3", "platform d2 <d3", "portal b3 <a3 >c3", "platform d4 >d3"]
    state = position(net, "e3:11 c3:* a3:2", demons=True, capacity=2, centered=[2], dice=True, d8=4)
    assert PORTALS_V1.render_text(state).splitlines() == [
        "     e {1}  .   .",
        "         v",
        "   d ( )<[+]<( )  .",
        "           v",
        " c  .   .  {*}  .   .",
        "             ^",
        "   b  .   .  [+]  .   5",
        "               ^",
        "     a  .   .  {2}  4",
        "",
        "          1   2   3",
        "",
        "( ) platform  { } START or CENTER  [+] portal  * demon",
        "CENTER: c3. START: e3 of seat 1, a3 of seat 2.",
        "Pool: 6 of seat 1, 7 of seat 2.",
        "More than one pawn: 2 on e3.",
        "Out of CENTER came: seat 2.",
        "Rolled: 4.",
    ]


def test_the_drawing_shows_the_contest() -> None:
    state = play(start(3, first="roll"), 7, 2, 7)
    assert "Rolls for who plays first: -, out, -." in PORTALS_V1.render_text(state)


def test_the_largest_drawing_fits_a_terminal(crowded: State) -> None:
    lines = PORTALS_V1.render_text(crowded).splitlines()
    assert max(map(len, lines)) <= 100
    assert len(lines) < 50


def test_evaluate_counts_turns_to_the_end() -> None:
    net = ["portal d3 <e3 >c3"]
    near, far, there = position(net, "e3:1"), position(net), position(net, "c3:1")
    assert PORTALS_V1.evaluate(there, 1) > PORTALS_V1.evaluate(near, 1) > PORTALS_V1.evaluate(far, 1)
    assert PORTALS_V1.evaluate(near, 2) < PORTALS_V1.evaluate(far, 2)
    rid, crowd = position(net, "e3:1", centered=[1]), position([], "d2:1 e3:1", centered=[1], full=True)
    assert PORTALS_V1.evaluate(rid, 1) > PORTALS_V1.evaluate(crowd, 1)
    over = play(position([], "c3:1"), "exit")
    assert (ends(over, "cleared", 1, 2), pawns_of(over)) == (True, "")
    assert PORTALS_V1.evaluate(over, 1) == -PORTALS_V1.evaluate(over, 2) == 1_000_000


@pytest.mark.parametrize(("seats", "wins"), [(2, 18), (4, 14), (6, 11)])
def test_greedy_beats_random_whatever_its_seat(seats: int, wins: int) -> None:
    won = 0
    for seed in range(20):
        greedy_seat = 1 + seed % seats
        names = {greedy_seat: "greedy"}
        bots = {seat: make_bot(names.get(seat, "random"), 10 * seed + seat) for seat in range(1, seats + 1)}
        state = start(seats, radius=4, first=1 + seed * 7 % seats)
        while isinstance(turn := PORTALS_V1.turn(state), Decision):
            state = PORTALS_V1.apply_move(state, bots[turn.seat].choose_move(PORTALS_V1, state))
        ranks = PORTALS_V1.standing(state)
        won += ranks[greedy_seat - 1] == 1 and ranks.count(1) == 1
    assert won >= wins
