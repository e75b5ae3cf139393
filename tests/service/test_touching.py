"""Making moves by touching a board: what follows, what is ready, and why the rest is refused."""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

import pytest

from plyscribe.domain.ruleset import AnyRuleset, Decision
from plyscribe.domain.rulesets import RULESETS, find_ruleset
from plyscribe.service.boards import draw_board, find_board
from plyscribe.service.boards.board import LastMove
from plyscribe.service.matches.touching import describe_touches, find_touched, label_moves
from tests.domain.toy import TOY_V1
from tests.service.test_boards import name_of, random_positions
from tests.service.test_composing_api import start

PATHAGON = find_ruleset("pathagon", 1)


def can_be_touched(ruleset: AnyRuleset) -> bool:
    """Whether the board of the ruleset says how moves are made on it."""
    board, state = find_board(ruleset), ruleset.initial_state(ruleset.parse_options({}), ruleset.min_seats)
    return board is not None and bool(board.read(ruleset.view(state)))


TOUCHABLE = [ruleset for ruleset in RULESETS if can_be_touched(ruleset)]
every_ruleset = pytest.mark.parametrize("ruleset", TOUCHABLE, ids=name_of)


def decisions(ruleset: AnyRuleset, count: int) -> Iterator[Any]:
    """Some positions of a random match in which a seat must move."""
    seats = ruleset.min_seats
    states = (state for state, _ in random_positions(ruleset, seats, seed=5))
    return islice((state for state in states if isinstance(ruleset.turn(state), Decision)), 0, count * 5, 5)


def play(*moves: str) -> Any:
    state = PATHAGON.initial_state(PATHAGON.parse_options({}), 2)
    for move in moves:
        state = PATHAGON.apply_move(state, PATHAGON.parse_move(state, move))
    return state


def list_moves(state: Any) -> list[str]:
    return [PATHAGON.format_move(state, move) for move in PATHAGON.legal_moves(state)]


def touch(state: Any, *touches: str, language: str = "en") -> dict[str, Any]:
    return describe_touches(PATHAGON, state, touches, language, {1: "Ann", 2: "Ben"})


@every_ruleset
def test_every_legal_move_can_be_made_by_touching_what_follows(ruleset):
    rng, board = Random(7), find_board(ruleset)
    for state in decisions(ruleset, 6):
        moves = [ruleset.format_move(state, move) for move in islice(ruleset.legal_moves(state), 400)]
        names = board.resolve(ruleset.view(state), ruleset.turn(state).seat)
        for move in rng.sample(moves, min(3, len(moves))):
            way = tuple(names.get(each, each) for each in board.trace(move)[0])
            for number, each in enumerate(way):
                assert each in find_touched(ruleset, state, way[:number]).following, (move, way[:number])
            assert move in find_touched(ruleset, state, way).ready


@every_ruleset
def test_what_follows_leads_to_a_legal_move_and_says_which_if_it_completes_one(ruleset):
    rng = Random(3)
    for state in decisions(ruleset, 4):
        touches: tuple[str, ...] = ()
        while not (found := find_touched(ruleset, state, touches)).ready:
            assert found.following, touches
            for each, move in islice(found.following.items(), 5):
                if move is not None:
                    assert find_touched(ruleset, state, (*touches, each)).ready == [move]
            touches = (*touches, rng.choice(list(found.following)))
        for move in found.ready:
            ruleset.parse_move(state, move)


@every_ruleset
def test_the_picture_of_a_ready_move_is_that_of_the_position_after_it(ruleset):
    state = next(decisions(ruleset, 1))
    for way in (find_board(ruleset).trace(ruleset.format_move(state, move))[0] for move in ruleset.legal_moves(state)):
        told = describe_touches(ruleset, state, way, "en", {}, seat=2)
        if len(told["ready"]) == 1:
            move = told["ready"][0]["move"]
            after = ruleset.apply_move(state, ruleset.parse_move(state, move))
            last = LastMove(ruleset.turn(state).seat, move, ruleset.view(state))
            assert told["picture"] == draw_board(ruleset, after, last, seat=2)
            return
    raise AssertionError("no move is ready")


def test_places_are_read_with_the_names_of_their_owners_and_a_touch_says_what_the_move_would_do():
    read = touch(play("c3"))["read"]
    assert (read["c3"], read["c4"], touch(play("c3"), "c4")["read"]) == ("c3, a piece of Ann", "c4, empty", {})
    told = touch(play("c3", "c4", "d1", "a1"), "c5")
    assert [each["move"] for each in told["ready"]] == ["c5"]
    assert "traps the piece of Ben" in told["ready"][0]["sentences"][1]
    assert told["picture"].startswith("<svg")
    assert told["refusal"] is None


def test_a_piece_leads_to_the_fields_that_it_may_move_to():
    state = next(state for state in decisions(PATHAGON, 40) if any("-" in move for move in list_moves(state)))
    shifts = [move for move in list_moves(state) if "-" in move]
    piece = shifts[0].partition("-")[0]
    told = touch(state, piece)
    assert [each["move"] for each in told["next"]] == [move for move in sorted(shifts) if move.startswith(piece)]
    assert told["ready"] == []


def test_a_refused_touch_says_why_without_its_notation():
    refusal = touch(play("c3", "c4"), "c4")["refusal"]
    assert (refusal["clause"], refusal["title"]) == ("PA4", "Place or move")
    assert "illegal move" not in refusal["detail"]
    assert touch(play("c3", "c4"), "c4", language="de")["refusal"]["detail"].startswith("c4 ist nicht leer")
    assert touch(play(), "z9")["refusal"] == {"detail": "there is nothing to touch here", "clause": None, "title": None}
    assert touch(play(), "c3", "z9")["refusal"]["clause"] is None


def test_nothing_can_be_touched_after_the_end_or_without_a_board():
    over = PATHAGON.withdraw(play("c3"), 1)
    assert find_touched(PATHAGON, over, ()).following == {}
    assert touch(over, "c4")["refusal"] is None
    state = TOY_V1.initial_state(TOY_V1.parse_options({}), TOY_V1.min_seats)
    told = describe_touches(TOY_V1, state, (), "en", {})
    assert (told["next"], told["ready"], told["read"]) == ([], [], {})


def test_moves_with_the_same_touches_are_told_apart_by_what_only_some_do_or_by_their_words():
    def ready(move: str, *sentences: str) -> dict[str, Any]:
        return {"move": move, "sentences": list(sentences)}

    assert label_moves([ready("a x", "Goes.", "Pays x."), ready("a y", "Goes.", "Pays y.")]) == ["Pays x.", "Pays y."]
    assert label_moves([ready("a x", "Goes."), ready("a y", "Goes.")]) == ["x", "y"]
    assert label_moves([ready("a", "Goes."), ready("a y", "Goes.")]) == ["a", "y"]


def ask(api, match, *touches, token=None, **more):
    query = "&".join([*(f"touch={each}" for each in touches), *(f"{name}={value}" for name, value in more.items())])
    return api.get(f"/v1/matches/{match}/legal-moves/touched?{query}", token)


def test_touches_that_make_a_move_are_shown_and_a_refused_one_names_its_clause_in_the_readers_language(api):
    match, token = start(api)
    told = ask(api, match, "d4", seat=2).json
    assert [(each["move"], each["effects"][0]["kind"]) for each in told["ready"]] == [("d4", "placed")]
    assert told["picture"].startswith("<svg")
    assert api.get(f"/v1/matches/{match}").json["ply"] == 0
    api.post(f"/v1/matches/{match}/moves", token, {"move": "d4"})
    told = api.get(f"/v1/matches/{match}/legal-moves/touched?touch=d4", token, headers={"Accept-Language": "de"})
    assert told.headers["Content-Language"] == "de"
    assert told.json["refusal"]["clause"] == "PA4"
    assert told.json["refusal"]["detail"].startswith("d4 ist nicht leer")


def test_there_is_nothing_to_touch_unless_a_move_is_due(api):
    player, token = api.sign_up()
    match = api.new_match(token)
    told = ask(api, match, "d4").json
    assert (told["turn"], told["next"], told["ready"], told["refusal"]) == (None, [], [], None)
    match = api.new_match(token, [{"player": player}] * 2)
    api.post(f"/v1/matches/{match}/withdrawal", token, {"seat": 1})
    told = ask(api, match).json
    assert (told["next"], told["read"]["d4"]) == ([], "d4, empty")


def test_only_readers_of_a_private_match_touch_it_and_touches_have_names_and_are_few(api):
    match, token = start(api, private=True)
    assert ask(api, match).status_code == 404
    assert "private" in ask(api, match, token=token).headers["Cache-Control"]
    for touches, more in ((["%20"], {}), (["d4"] * 17, {}), (["d4"], {"seat": 0})):
        assert ask(api, match, *touches, token=token, **more).status_code == 422
    assert ask(api, match, *["d4"] * 16, token=token).json["refusal"] is not None
    assert ask(api, match, "z9", token=token).json["refusal"]["detail"] == "there is nothing to touch here"
