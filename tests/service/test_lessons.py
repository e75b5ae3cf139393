"""The lessons of each game: every task can be done, and not by every move."""

import pytest

from plyscribe.domain.ruleset import AnyRuleset, Decision
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.variation import Reached
from plyscribe.service.boards import draw_board
from plyscribe.service.lessons import CARDS, LESSONS
from plyscribe.service.lessons.lesson import Lesson, is_wanted, reach
from plyscribe.service.rulebooks import read_clauses
from plyscribe.testing.lesson_checks import play_lesson
from tests.service.test_board_contract import draw, some_steps

ALL = [(find_ruleset(*key), lesson) for key, lessons in LESSONS.items() for lesson in lessons]

every_lesson = pytest.mark.parametrize(
    ("ruleset", "lesson"), ALL, ids=lambda each: each.name if isinstance(each, Lesson) else each.id
)


def list_moves(ruleset: AnyRuleset, reached: Reached) -> list[str]:
    """What the seat on turn can play."""
    return [ruleset.format_move(reached.state, move) for move in ruleset.legal_moves(reached.state)]


@every_lesson
def test_the_visitor_makes_all_moves_of_the_solution_and_the_others_can_answer_whatever_is_played(ruleset, lesson):
    assert lesson.clause in read_clauses(ruleset.id, ruleset.version)
    for count in range(len(lesson.solution)):
        reached, _ = play_lesson(ruleset, lesson, lesson.solution[:count])
        assert ruleset.turn(reached.state) == Decision(lesson.seat)
        for move in list_moves(ruleset, reached):
            play_lesson(ruleset, lesson, (*lesson.solution[:count], move))


@every_lesson
def test_some_legal_move_does_not_do_the_task(ruleset, lesson):
    reached = reach(lesson, ruleset)
    done = [
        any(is_wanted(lesson, effect) for effect in play_lesson(ruleset, lesson, (move,))[1])
        for move in list_moves(ruleset, reached)
    ]
    assert not all(done)


@pytest.mark.parametrize("key", CARDS, ids=lambda key: key[0])
def test_every_symbol_of_a_card_is_in_the_drawing_of_every_lesson_and_match(key):
    ruleset = find_ruleset(*key)
    drawings = [str(draw_board(ruleset, reach(lesson, ruleset).state)) for lesson in LESSONS[key]]
    drawings += [draw(ruleset, step.after).text for step in some_steps(ruleset)[::4]]
    for drawing in drawings:
        assert [card.symbol for card in CARDS[key] if f'id="{card.symbol}"' not in drawing] == []
