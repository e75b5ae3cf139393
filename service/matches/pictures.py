"""Pictures of a match to pass on: a position as a PNG, its card for a link, and the whole match as a GIF.

A large picture takes a fifth of a second, in which its process does nothing else. So reports make them.
"""

from typing import NamedTuple

from plyscribe.domain.errors import Unknown
from plyscribe.domain.match import Match
from plyscribe.domain.replay import position_at
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.boards import draw_board
from plyscribe.service.boards.colours import Theme
from plyscribe.service.matches.queries import draw_position

PICTURE_WIDTH = 960
FILM_WIDTH = 480
FILM_FRAMES = 120
"""The most positions of a film. A frame takes 60 to 100 ms."""

FRAME_MS = 800


class Look(NamedTuple):
    """How a picture looks: its colours, and the seat at the bottom; None is seat 1."""

    theme: Theme = "light"
    seat: int | None = None


def render_picture(match: Match, ply: int, look: Look) -> bytes:
    """A position as a PNG, with the last move marked. Raises what `position_at` raises."""
    from plyscribe.service.boards.pixels import render_png

    return render_png(_draw(match, ply, look), PICTURE_WIDTH)


def render_card(match: Match, ply: int) -> bytes:
    """A position as the PNG that stands beside a link to it. Raises what `position_at` raises."""
    from plyscribe.service.boards.pixels import frame_card

    return frame_card(_draw(match, ply, Look()))


def render_beginning_card(ruleset: AnyRuleset) -> bytes:
    """The starting position of a game as the PNG that stands beside a link to it."""
    from plyscribe.service.boards.pixels import frame_card

    beginning = ruleset.initial_state(ruleset.parse_options({}), ruleset.min_seats)
    return frame_card(draw_board(ruleset, beginning, theme="light"))


def render_film(match: Match, look: Look) -> bytes:
    """The match as a GIF: all its positions or, of a long match, an even selection. Unknown if it has none."""
    from plyscribe.service.boards.pixels import measure, pick_frames, render_gif, render_png

    if match.play is None:
        raise Unknown("position/unknown", "the first position of this match cannot be read")
    last = render_png(_draw(match, match.play.ply, look), FILM_WIDTH)
    plies = pick_frames(match.play.ply + 1, *measure(last), most=FILM_FRAMES)
    return render_gif([*(render_png(_draw(match, ply, look), FILM_WIDTH) for ply in plies[:-1]), last], FRAME_MS)


def _draw(match: Match, ply: int, look: Look) -> str:
    return draw_position(match, position_at(match, ply), look.theme, look.seat)
