"""The job that advances tournaments: it pairs rounds, creates matches, and enters results."""

from collections.abc import Sequence

from plyscribe.workers.parts import process_parts


def advance_tournaments(due: Sequence[tuple[str, int]]) -> None:
    """Advance tournaments, given by stream and version, as far as they can go now, whatever their version.

    May run any number of times, also at the same time: see `plyscribe.service.tournaments.runner`.
    """
    for stream, _ in due:
        process_parts().tournaments.advance(stream)
