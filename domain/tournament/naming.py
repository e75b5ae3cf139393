"""The names of entrants as people read them. Entrants with the same name are told apart by their numbers."""

import re
from collections import Counter
from collections.abc import Mapping

from plyscribe.domain.events import Account, BuiltIn, Guest
from plyscribe.domain.names import fold_width
from plyscribe.domain.tournament.state import Entrant, Tournament

_NUMBERED = re.compile(r".* #[0-9]+\Z", re.DOTALL)


def name_entrants(
    state: Tournament, players: Mapping[int, str] | None = None, longest: int | None = None
) -> dict[int, str]:
    """The name of each entrant, each different from all others; `greedy #3` if another one is called greedy, too.

    `players` has the names of entrants that name_entrant cannot know, because accounts have their names elsewhere. No
    name has more than `longest` characters.
    """
    plain = {each.number: name_entrant(each) for each in state.entrants} | dict(players or {})
    shown = {number: name[:longest] for number, name in plain.items()}
    folded = {number: fold_width(name) for number, name in shown.items()}
    often = Counter(folded.values())
    # A label may look like the name of somebody else: then it gets its own number, too.
    alike = {number for number, name in folded.items() if often[name] > 1 or _NUMBERED.match(name)}
    return {
        number: _append(name, f" #{number}", longest) if number in alike else name for number, name in shown.items()
    }


def name_entrant(entrant: Entrant) -> str:
    """The entrant's label; without one, the name of its bot or the id of its account."""
    match entrant.occupant:
        case _ if entrant.label is not None:
            return entrant.label
        case Account(player):
            return player
        case Guest(name):
            return name
        case BuiltIn(bot, playouts=None):
            return bot
        case BuiltIn(bot, playouts=playouts):
            return f"{bot} {playouts}"
    return str(entrant.number)


def _append(name: str, number: str, longest: int | None) -> str:
    return name[: None if longest is None else longest - len(number)] + number
