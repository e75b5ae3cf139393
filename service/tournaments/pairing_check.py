"""Checks a round of a tournament: works its pairing out again from the events before it, and compares."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.errors import FoldError, Unknown
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.events import RoundPaired
from plyscribe.domain.tournament.ladder import ENGINE as CHALLENGE
from plyscribe.domain.tournament.ladder import pair_challenge_again
from plyscribe.domain.tournament.schedule import Pairing
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.tournaments.pairing import pair_next


class PairingCheck(NamedTuple):
    """A round as it was paired, and as it comes out when it is paired again."""

    paired: RoundPaired
    again: Pairing | None

    @property
    def agrees(self) -> bool:
        """Whether both have the same boards and byes."""
        return self.again is not None and (self.again.boards, self.again.byes) == (self.paired.boards, self.paired.byes)


def require_paired(state: Tournament, number: int) -> None:
    """Raise Unknown unless the tournament has this round."""
    if not 1 <= number <= len(state.rounds):
        paired = f"rounds 1..{len(state.rounds)} are paired" if state.rounds else "no round is paired yet"
        raise Unknown("tournament/no-round", f"there is no round {number}: {paired}")


def check_pairing(stream: str, entries: Sequence[StoredEvent], number: int) -> PairingCheck:
    """Pair a round of a tournament again, from the events before it; FoldError if the events do not hold the round.

    A round that was taken back and paired once more is checked as it was paired last.
    """
    for place in reversed(range(len(entries))):
        event = TOURNAMENT.parse(entries[place])
        data: Any = event.data
        if isinstance(data, RoundPaired) and data.round == number:
            before = TOURNAMENT.fold(Tournament(stream), entries[:place])
            is_challenge = data.engine == CHALLENGE
            again = pair_challenge_again(before, data, event.at) if is_challenge else pair_next(before)
            return PairingCheck(data, again)
    raise FoldError(len(entries), f"round {number} is not paired")
