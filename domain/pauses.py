"""Pauses: a player who aborts rated matches again and again has to wait before the next one.

The first two aborted matches within a day cost nothing: things happen. From the third on, each is followed by a pause,
which doubles with each further one.
"""

from plyscribe.domain.player import Player

WITHIN_MS = 24 * 3600 * 1000
FREE = 2
"""How many aborted matches within WITHIN_MS are followed by no pause."""

FIRST_PAUSE_MS = 10 * 60 * 1000
LONGEST_PAUSE_MS = 24 * 3600 * 1000


def find_pause(player: Player, now_ms: int) -> int | None:
    """Until when (UTC milliseconds) the player can begin no rated match; None if there is no pause at `now_ms`."""
    times = sorted(player.aborts.values())
    # No pause is longer than LONGEST_PAUSE_MS, so earlier ones are over.
    recent = [place for place, at in enumerate(times) if at > now_ms - LONGEST_PAUSE_MS]
    until = max((times[place] + pause for place in recent if (pause := _pause_after(times, place))), default=0)
    return until if until > now_ms else None


def _pause_after(times: list[int], place: int) -> int:
    """The length of the pause that follows the abort at this place in time order."""
    within = sum(times[place] - at < WITHIN_MS for at in times[: place + 1])
    doublings = within - FREE - 1
    # The longest pause is reached after eight doublings. A longer shift would make a huge number of it.
    return 0 if doublings < 0 else min(FIRST_PAUSE_MS << min(doublings, 10), LONGEST_PAUSE_MS)
