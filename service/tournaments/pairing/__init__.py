"""Pairings: who meets whom in the next round, worked out again at any time from the same tournament."""

from plyscribe.domain.errors import WrongValue
from plyscribe.domain.tournament.schedule import Pairing, pair_gauntlet, pair_knockout, pair_round_robin
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.tournaments.pairing.designs import pair_pod_round_robin
from plyscribe.service.tournaments.pairing.dutch import pair_dutch
from plyscribe.service.tournaments.pairing.pods import pair_pods


def pair_next(state: Tournament) -> Pairing | None:
    """The pairing of the next round; None where nothing is left to be paired. The same for the same tournament."""
    terms, number = state.terms, len(state.rounds) + 1
    if sum(each.is_in for each in state.entrants) < terms.seats:
        return None
    match terms.format["kind"]:
        case "round-robin":
            return pair_round_robin(state) if terms.seats == 2 else pair_pod_round_robin(state)
        case "gauntlet":
            return pair_gauntlet(state)
        case "knockout":
            return pair_knockout(state)
        case "swiss":
            if number > terms.format["rounds"]:
                return None
            return pair_dutch(state) if terms.seats == 2 else pair_pods(state)
    raise WrongValue("tournament/format", f"{terms.format['kind']} is no format")
