"""The job that advances tournaments: rounds are paired, matches made, results entered."""

from collections.abc import Sequence

from plyscribe.workers.parts import process_parts


def advance_tournaments(due: Sequence[tuple[str, int]]) -> None:
    """Do all that can be done for tournaments, given by stream and version, at whatever version they stand now.

    May run any number of times, at the same time too: see `plyscribe.service.tournaments.runner`.
    """
    for stream, _ in due:
        process_parts().tournaments.advance(stream)
