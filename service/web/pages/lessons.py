"""The page that teaches a game: positions in which a rule is played, and what the parts of the board mean."""

from typing import Any

from flask import Response

from plyscribe.domain.phrases import Phrase
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.errors import NotFound
from plyscribe.service.language.sentences import translate
from plyscribe.service.lessons import list_lessons
from plyscribe.service.lessons.lesson import Lesson, list_steps, reach
from plyscribe.service.matches.variations import describe_tried, draw_variation
from plyscribe.service.rulebooks import read_clauses
from plyscribe.service.web.api.http import negotiate_language
from plyscribe.service.web.api.rulesets import find_rules
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.speech import gettext, page_language


@blueprint.get("/rulesets/<ruleset>/learn")
def show_first_lesson(ruleset: str) -> Response:
    """Show the first lesson of a game."""
    return _show(find_rules(ruleset), None)


@blueprint.get("/rulesets/<ruleset>/learn/<name>")
def show_lesson(ruleset: str, name: str) -> Response:
    """Show a lesson of a game."""
    return _show(find_rules(ruleset), name)


def _show(ruleset: AnyRuleset, name: str | None) -> Response:
    lessons = list_lessons(ruleset)
    number = next((each for each, lesson in enumerate(lessons) if name in (None, lesson.name)), None)
    if number is None:
        raise NotFound(f"{ruleset.title} has no such lesson", "lesson/unknown")
    lesson, following = lessons[number], lessons[number + 1 : number + 2]
    reached = reach(lesson, ruleset)
    return show_page(
        "lesson.html",
        ruleset=ruleset,
        number=number + 1,
        lesson=lesson,
        lessons=[{"name": each.name, "title": _say(each.title)} for each in lessons],
        title=_say(lesson.title),
        task=_say(lesson.task),
        done=_say(lesson.done),
        clause=read_clauses(ruleset.id, ruleset.version, page_language())[lesson.clause],
        picture=draw_variation(reached, lesson.seat),
        next=following[0].name if following else None,
        data=_describe(lesson, ruleset),
    )


def _describe(lesson: Lesson, ruleset: AnyRuleset) -> dict[str, Any]:
    """What the script of the page needs to let the lesson be played."""
    return {
        "start": {
            "ruleset_version": ruleset.version,
            "seats": lesson.seats,
            "options": dict(lesson.options),
            "seen_from": lesson.seat,
            "names": name_players(lesson.seats),
        },
        "steps": [describe_tried(step) for step in list_steps(lesson)],
        "seat": lesson.seat,
        "wanted": dict(lesson.wanted),
        "dice": [list(values) for values in lesson.dice],
        "answers": list(lesson.answers),
        "solution": list(lesson.solution),
    }


def name_players(seats: int) -> list[str]:
    """The players of lessons, by the colours of their seats."""
    names = [gettext("Blue"), gettext("Orange"), gettext("Green"), gettext("Pink"), gettext("Sky"), gettext("Red")]
    return names[:seats]


def _say(phrase: Phrase) -> str:
    return translate(phrase, negotiate_language(), {})
