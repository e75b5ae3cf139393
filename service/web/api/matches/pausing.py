"""Direct a match: pause it, let it go on, and give or take time."""

from flask import Response

from plyscribe.domain.commands import AdjustClock, PauseMatch, ResumeMatch
from plyscribe.service.web.api.matches.blueprint import blueprint
from plyscribe.service.web.api.matches.commands import COMMAND_PROBLEMS, execute
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.charging import charged
from plyscribe.service.web.schemas import answers, bodies


@blueprint.post("/<match>/pause")
@charged("moves")
@operation("play", answers.Receipt, body=bodies.Pause, problems=COMMAND_PROBLEMS, command=True)
def pause_match(match: str) -> Response:
    """Pause a match.

    An overseer, an arbiter of its tournament and the recorder can do this, but nobody who sits in the match. No clock
    runs, no deadline passes, and moves are refused with 409 `match/paused`. Players can still resign and agree on a
    draw.
    """
    return execute(match, bodies.Pause, lambda base, body: PauseMatch(**base, **body), word="pause")


@blueprint.post("/<match>/resume")
@charged("moves")
@operation("play", answers.Receipt, body=bodies.Resumption, problems=COMMAND_PROBLEMS, command=True)
def resume_match(match: str) -> Response:
    """Let a paused match go on.

    Whoever may pause it can do this. The seat on turn has the time that it had when the pause began.
    """
    return execute(match, bodies.Resumption, lambda base, body: ResumeMatch(**base, **body), word="resume")


@blueprint.post("/<match>/clock")
@charged("moves")
@operation("play", answers.Receipt, body=bodies.ClockChange, problems=COMMAND_PROBLEMS, command=True)
def adjust_clock(match: str) -> Response:
    """Give a seat more time, or take time from it.

    Whoever may pause the match can do this. With `match_ms` the time of the seat for the match changes, otherwise the
    time for the decision that is due. A seat keeps a second at least.
    """
    return execute(match, bodies.ClockChange, lambda base, body: AdjustClock(**base, **body), word="adjust-clock")
