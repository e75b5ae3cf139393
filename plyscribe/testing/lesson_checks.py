"""What every lesson must keep: it begins with a move of its seat, and its solution does its task."""

from plyscribe.domain.effects import Effect, Rolled
from plyscribe.domain.ruleset import AnyRuleset, Decision, Roll
from plyscribe.domain.variation import Reached, Tried, follow
from plyscribe.service.lessons.lesson import Lesson, is_wanted, reach


def play_lesson(ruleset: AnyRuleset, lesson: Lesson, moves: tuple[str, ...]) -> tuple[Reached, list[Effect]]:
    """The position after these moves, the dice of the lesson and the answers of others, and all effects on the way."""
    reached, dice, answers = reach(lesson, ruleset), list(lesson.dice), list(lesson.answers)
    effects = list[Effect]()
    for move in moves:
        step: Tried | None = move
        while step is not None:
            reached = follow(reached, [step])
            assert reached.last
            effects += reached.last.list_effects(ruleset)
            step = None
            match ruleset.turn(reached.state):
                case Roll() if dice:
                    step = Rolled(dice.pop(0))
                case Decision(seat) if answers and seat != lesson.seat:
                    step = answers.pop(0)
    return reached, effects


def check_lesson(ruleset: AnyRuleset, lesson: Lesson) -> None:
    """It begins with a move of its seat, and the solution does the task with its last move."""
    turn = ruleset.turn(reach(lesson, ruleset).state)
    assert turn == Decision(lesson.seat), f"{lesson.name}: seat {lesson.seat} decides, not {turn}"
    _, effects = play_lesson(ruleset, lesson, lesson.solution)
    assert any(is_wanted(lesson, effect) for effect in effects), f"{lesson.name}: the solution does the task"
    _, before = play_lesson(ruleset, lesson, lesson.solution[:-1])
    assert not any(is_wanted(lesson, effect) for effect in before), f"{lesson.name}: the last move does it"
