"""Pairs the next round of a tournament. The same tournament always gives the same pairing, so anybody can check it."""

from plyscribe.domain.errors import WrongValue
from plyscribe.domain.tournament.group_pairing import pair_groups
from plyscribe.domain.tournament.pyramid import pair_pyramid
from plyscribe.domain.tournament.schedule import Pairing, pair_gauntlet, pair_knockout, pair_round_robin
from plyscribe.domain.tournament.scheveningen import pair_scheveningen
from plyscribe.domain.tournament.seeding import pair_by_seed
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.tournaments.pairing.designs import pair_pod_round_robin
from plyscribe.service.tournaments.pairing.dutch import pair_dutch
from plyscribe.service.tournaments.pairing.pods import pair_pods
from plyscribe.service.tournaments.pairing.team_matches import pair_teams


def pair_next(state: Tournament) -> Pairing | None:
    """The pairing of the next round; None when nothing is left to pair. Follows from the tournament alone."""
    match state.terms.format["kind"]:
        case "scheveningen":
            return pair_scheveningen(state)
        case "team-round-robin" | "team-swiss":
            return pair_teams(state)
    return pair_by_seed(state, _pair_numbered)


def _pair_numbered(state: Tournament) -> Pairing | None:
    """As pair_next, for a tournament whose entrants are numbered by seed."""
    terms, number = state.terms, len(state.rounds) + 1
    if terms.format["kind"] == "ladder" or sum(each.is_in for each in state.entrants) < terms.seats:
        return None
    match terms.format["kind"]:
        case "round-robin":
            return pair_round_robin(state) if terms.seats == 2 else pair_pod_round_robin(state)
        case "league":
            return pair_round_robin(state)
        case "gauntlet":
            return pair_gauntlet(state)
        case "pyramid":
            return pair_pyramid(state)
        case "groups":
            return pair_groups(state)
        case "knockout":
            return pair_knockout(state)
        case "swiss":
            if number > terms.format["rounds"]:
                return None
            return pair_dutch(state) if terms.seats == 2 else pair_pods(state)
    raise WrongValue("tournament/format", f"there is no format {terms.format['kind']!r}")
