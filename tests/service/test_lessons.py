"""The lessons of each game: every task can be done, and not by every move."""

import re

import pytest

from plyscribe.domain.effects import Effect
from plyscribe.domain.ruleset import AnyRuleset, Decision, Roll
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.variation import Reached, Rolled, follow
from plyscribe.service.boards import draw_board
from plyscribe.service.lessons import CARDS, LESSONS
from plyscribe.service.lessons.lesson import Lesson, is_wanted, reach
from plyscribe.service.rulebooks import read_clauses

ALL = [(find_ruleset(*key), lesson) for key, lessons in LESSONS.items() for lesson in lessons]

every_lesson = pytest.mark.parametrize(
    ("ruleset", "lesson"), ALL, ids=lambda each: each.name if isinstance(each, Lesson) else each.id
)


def play(ruleset: AnyRuleset, lesson: Lesson, moves: tuple[str, ...]) -> tuple[Reached, list[Effect]]:
    """The position after these moves, the dice of the lesson and the answers of others, and all effects on the way."""
    reached, dice, answers, effects = reach(lesson, ruleset), list(lesson.dice), list(lesson.answers), []
    for move in moves:
        step = move
        while step is not None:
            reached = follow(reached, [step])
            effects += reached.last.list_effects(ruleset)
            step = None
            match ruleset.turn(reached.state):
                case Roll() if dice:
                    step = Rolled(dice.pop(0))
                case Decision(seat) if answers and seat != lesson.seat:
                    step = answers.pop(0)
    return reached, effects


def list_moves(ruleset: AnyRuleset, reached: Reached) -> list[str]:
    """What the seat on turn can play."""
    return [ruleset.format_move(reached.state, move) for move in ruleset.legal_moves(reached.state)]


@every_lesson
def test_a_lesson_begins_with_a_move_of_its_seat(ruleset, lesson):
    assert ruleset.turn(reach(lesson, ruleset).state) == Decision(lesson.seat)


@every_lesson
def test_the_solution_does_the_task_with_its_last_move(ruleset, lesson):
    _, effects = play(ruleset, lesson, lesson.solution)
    assert any(is_wanted(lesson, effect) for effect in effects)
    _, before = play(ruleset, lesson, lesson.solution[:-1])
    assert not any(is_wanted(lesson, effect) for effect in before)


@every_lesson
def test_the_visitor_makes_all_moves_of_the_solution(ruleset, lesson):
    for count in range(len(lesson.solution)):
        reached, _ = play(ruleset, lesson, lesson.solution[:count])
        assert ruleset.turn(reached.state) == Decision(lesson.seat)


@every_lesson
def test_some_legal_move_does_not_do_the_task(ruleset, lesson):
    reached = reach(lesson, ruleset)
    done = [
        any(is_wanted(lesson, effect) for effect in play(ruleset, lesson, (move,))[1])
        for move in list_moves(ruleset, reached)
    ]
    assert not all(done)


@every_lesson
def test_the_others_can_answer_whatever_the_visitor_plays(ruleset, lesson):
    for count in range(len(lesson.solution)):
        reached, _ = play(ruleset, lesson, lesson.solution[:count])
        for move in list_moves(ruleset, reached):
            play(ruleset, lesson, (*lesson.solution[:count], move))


@every_lesson
def test_a_lesson_teaches_a_clause(ruleset, lesson):
    assert lesson.clause in read_clauses(ruleset.id, ruleset.version)


@pytest.mark.parametrize("key", LESSONS, ids=lambda key: key[0])
def test_every_game_has_five_lessons_under_different_names(key):
    names = [lesson.name for lesson in LESSONS[key]]
    assert len(set(names)) == len(names) >= 5
    assert all(re.fullmatch("[a-z]+(-[a-z]+)*", name) for name in names)


@pytest.mark.parametrize("key", CARDS, ids=lambda key: key[0])
def test_every_symbol_of_a_card_is_in_the_drawing_of_every_lesson(key):
    ruleset = find_ruleset(*key)
    for lesson in LESSONS[key]:
        drawing = str(draw_board(ruleset, reach(lesson, ruleset).state))
        for card in CARDS[key]:
            assert f'id="{card.symbol}"' in drawing, card.symbol
