"""When a rated match counts.

A rated match counts as soon as any die has fallen or every seat has made a move of its own. Before that, a seat that
leaves or runs out of time aborts the match, and nothing is rated. After that, a seat can only withdraw, and that is
rated. So nobody can try one rated match after another until the beginning suits them.

Matches that were created before this rule have no `counts_from`: their seats can abort before their own first move, and
their outcome is always rated.
"""

from plyscribe.domain.match import Match

PLAY = "play"
"""The `counts_from` of a match that follows this rule."""


def counts(match: Match) -> bool | None:
    """Whether the outcome of the match, as it stands, is or would be rated; None if the match is not a rated one."""
    life = match.life
    if not life.created.rated:
        return None
    if life.status in ("open", "aborted", "refuted", "annulled"):
        return False
    return not leaving_aborts(match)


def leaving_aborts(match: Match) -> bool:
    """Whether a seat that leaves the match, which has started, aborts it, because it is rated and does not count yet.

    False if the play is unreadable: then nobody can tell.
    """
    play = match.play
    if match.life.created.counts_from is None or play is None or play.rolls:
        return False
    # Nobody leaves a match that does not count, so all seats are in play until each of them has moved.
    waiting = set(range(1, len(match.life.seats) + 1))
    for step in play.steps:
        waiting.discard(step.seat)
        if not waiting:
            return False
    return True
