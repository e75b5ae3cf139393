"""`plyscribe replay`: a position as text or picture, a match as film."""

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import click
from rich.console import Console
from rich.progress import track

from plyscribe.domain.bundle.bundle import parse_bundle
from plyscribe.domain.errors import Unknown
from plyscribe.domain.match import damaged
from plyscribe.domain.record import SUFFIX, parse_record, trace_steps
from plyscribe.domain.replay import TakenStep, list_steps
from plyscribe.domain.replay import replay as replay_match
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.cli.languages import LANGUAGE
from plyscribe.service.cli.shared_options import DATA, TOKEN, URL
from plyscribe.service.cli.transfer import REFUSALS, choose_reader
from plyscribe.service.config import register_rulesets
from plyscribe.service.matches.story import describe_steps, name_players, name_written, render_steps
from plyscribe.service.streams.ids import is_stream_id

if TYPE_CHECKING:
    from plyscribe.service.boards.board import LastMove
    from plyscribe.service.boards.colours import Theme

FILE = click.Path(dir_okay=False, path_type=Path)


class Film(NamedTuple):
    """The positions of a match by ply, each with the move that led to it; its steps, and the names of its players."""

    ruleset: AnyRuleset
    shots: list[tuple[Any, "LastMove | None"]]
    steps: Iterable[TakenStep]
    name_players: Callable[[str], Mapping[int, str]]
    """The names by seat, for sentences in a language."""

    def draw(self, ply: int, theme: "Theme") -> str:
        """The position as SVG, with the last move marked."""
        from plyscribe.service.boards import draw_board

        return draw_board(self.ruleset, *self.shots[ply], theme)

    def list_sentences(self, ply: int | None, language: str) -> list[str]:
        """What each step did, a sentence a line: of all steps, or of those that led to the position at this ply."""
        steps = [step for step in self.steps if ply in (None, step.ply)]
        return list(render_steps(describe_steps(self.ruleset, steps, language, self.name_players(language))))


@click.command()
@DATA
@URL
@TOKEN
@click.option(
    "--ply", type=click.IntRange(0), help="Number of moves before the position; the default is the last position."
)
@click.option("--png", type=FILE, help="Write a picture of the position to this file.")
@click.option("--gif", type=FILE, help="Write a film of the match to this file, at most 2,000 positions.")
@click.option(
    "--delay", type=click.IntRange(20, 60_000), default=800, show_default=True, help="Milliseconds for each frame."
)
@click.option("--size", type=click.IntRange(64, 4096), default=480, show_default=True, help="Width in pixels.")
@click.option("--theme", type=click.Choice(("light", "dark")), default="light", show_default=True, help="Colours.")
@click.option("--effects/--no-effects", default=True, show_default=True, help="Say in the text what each step did.")
@LANGUAGE
@click.argument("match")
def replay(
    data: Path,
    url: str | None,
    token: str | None,
    ply: int | None,
    png: Path | None,
    gif: Path | None,
    delay: int,
    size: int,
    theme: str,
    effects: bool,
    language: str,
    match: str,
) -> None:
    """Show a match as text, as a picture or as a film.

    Prints what each step did, and the last position as text; with --ply that position, and what led to it. Writes a
    position as a picture (--png), or the whole match as a film (--gif). MATCH is a
    bundle, a text record (.plyrec) or the id of a match. An id is looked up in the store in REDIS_URL, or else in the
    one that `serve` runs on the data directory; with --url on that server.
    """
    if ply is not None and gif is not None and png is None:
        raise click.UsageError("--ply chooses one position, but a film shows all of them")
    try:
        register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
        film = _read(match, lambda: choose_reader(data, url, token)(match))
        at = _find_ply(film, ply)
        if png is not None:
            _draw(film, at, png, size, cast("Theme", theme))
        if gif is not None:
            _film(film, gif, delay, size, cast("Theme", theme))
        if png is None and gif is None:
            told = film.list_sentences(ply, language) if effects else []
            click.echo("\n".join([*told, *([""] if told else []), _format_position(film, at)]))
    except REFUSALS as error:
        sys.exit(f"error: {match}: {error}")


def _read(match: str, read_bundle: Callable[[], bytes]) -> Film:
    path = Path(match)
    if is_stream_id("match", match) and not path.exists():
        return _film_bundle(read_bundle())
    return _film_record(path.read_text(encoding="utf-8")) if path.suffix == SUFFIX else _film_bundle(path.read_bytes())


def _film_bundle(raw: bytes) -> Film:
    """The positions of a bundle. If the match cannot be replayed to its end, those before the fault, with a warning."""
    from plyscribe.service.boards.board import LastMove

    bundle = parse_bundle(raw)
    match = replay_match(bundle.head.match, bundle.entries)
    if match.fault is not None:
        if match.play is None:
            raise damaged(match.fault)
        click.echo(f"the match is shown up to event {match.fault.version - 1}: {match.fault.error}", err=True)
    if match.play is None:
        raise Unknown("match/unknown", "the bundle holds no match")
    ruleset, steps = match.play.ruleset, match.play.steps
    moves = [None, *(LastMove(step.seat, step.move, ruleset.view(step.state)) for step in steps)]
    shots = list(zip([*(step.state for step in steps), match.play.state], moves, strict=True))
    return Film(ruleset, shots, list_steps(match.play), lambda language: name_players(match, _know_nobody, language))


def _know_nobody(_: str) -> str:
    """The name of an account, which no bundle holds."""
    return ""


def _film_record(text: str) -> Film:
    from plyscribe.service.boards.board import LastMove

    record = parse_record(text)
    ruleset, steps = find_ruleset(record.ruleset, record.ruleset_version), list(trace_steps(record))
    shots: list[tuple[Any, LastMove | None]] = [(ruleset.initial_state(record.options, len(record.seats)), None)]
    for step in steps:
        if step.notation is not None and step.seat is not None:
            shots.append((step.after, LastMove(step.seat, step.notation, ruleset.view(step.before))))
        else:
            # A roll or a withdrawal belongs to the position that it changes: only moves begin a new one.
            shots[-1] = (step.after, shots[-1][1])
    return Film(ruleset, shots, steps, lambda language: name_written(record, language))


def _find_ply(film: Film, ply: int | None) -> int:
    last = len(film.shots) - 1
    if ply is not None and ply > last:
        raise Unknown("position/unknown", f"the match has positions 0..{last}, not {ply}", ply=last)
    return last if ply is None else ply


def _format_position(film: Film, ply: int) -> str:
    state, last = film.shots[ply]
    led = f" · seat {last.seat}: {last.move}" if last else ""
    board = film.ruleset.render_text(state).rstrip("\n")
    return f"{film.ruleset.title} · ply {ply} of {len(film.shots) - 1}{led}\n\n{board}"


def _draw(film: Film, ply: int, path: Path, size: int, theme: "Theme") -> None:
    from plyscribe.service.boards.pixels import render_png

    path.write_bytes(render_png(film.draw(ply, theme), size))
    click.echo(str(path))


def _film(film: Film, path: Path, delay_ms: int, size: int, theme: "Theme") -> None:
    from plyscribe.service.boards.pixels import measure, pick_frames, render_gif, render_png

    count = len(film.shots)
    plies = pick_frames(count, *measure(render_png(film.draw(count - 1, theme), size)))
    if len(plies) < count:
        click.echo(f"{len(plies)} of {count} positions are shown: a GIF of this size cannot hold more", err=True)
    drawing = track(plies, "drawing", console=Console(stderr=True), transient=True)
    path.write_bytes(render_gif([render_png(film.draw(ply, theme), size) for ply in drawing], delay_ms))
    click.echo(str(path))
