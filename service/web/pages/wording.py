"""The terms, costs and acts of a tournament in words, for its page."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from plyscribe.service.web.pages.times import format_duration


class Reason(NamedTuple):
    """What something is called, and its value, in words."""

    what: str
    value: str


_FORMATS = {
    "round-robin": ("Round robin", "{cycles}: everybody meets everybody"),
    "swiss": ("Swiss", "{rounds}"),
    "knockout": ("Knockout", "out after {lives}"),
    "gauntlet": ("Gauntlet", "{cycles}: the first entrant meets all others"),
}
_COUNTED = {"cycles": "cycle", "rounds": "round", "lives": "lost board"}

_REPEATS = {
    "once": "one on each board",
    "rotations": "on each board, one for each rotation of the seats",
    "permutations": "on each board, one for each order of the seats",
}

_SCORES = {"bye": "a bye", "absence": "an absence"}


def describe_format(format: Mapping[str, Any]) -> str:
    """The format, such as `Swiss, 5 rounds`."""
    title, details = _FORMATS[format["kind"]]
    counts = {name: count_things(value, _COUNTED[name]) for name, value in format.items() if name in _COUNTED}
    return f"{title}, {details.format(**counts)}"


def count_things(count: int, thing: str) -> str:
    """The number with the thing, in the plural unless there is one."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def describe_terms(tournament: Mapping[str, Any]) -> Iterator[Reason]:
    """The terms of a tournament, from its description as in the API."""
    yield Reason("Format", describe_format(tournament["format"]))
    yield Reason("Games", _REPEATS[tournament["repeat"]])
    for name, value in tournament["options"].items():
        yield Reason(name.replace("_", " ").capitalize(), describe_value(value))
    yield Reason("Points", _describe_scoring(tournament["scoring"]))
    yield Reason("Tiebreaks", ", ".join(tournament["tiebreaks"]) or "none")
    yield Reason("Time", _describe_limits(tournament["limits"]))
    if tournament["openings"]:
        yield Reason("Openings", f"{len(tournament['openings'])}, which the boards take in turn")
    if tournament["sprt"]:
        test = tournament["sprt"]
        errors = f"error rates {test['alpha']} and {test['beta']}"
        yield Reason("Sequential test", f"Elo difference {test['elo0']} against {test['elo1']}, {errors}")
    entry = "everybody" if tournament["is_open"] else "those whom the organiser invites"
    yield Reason("Who can enter", f"{entry}, at most {tournament['max_entrants']}")
    yield Reason("Seed of the random choices", str(tournament["seed"]))


def describe_value(value: Any) -> str:
    """A JSON value as people write it."""
    if isinstance(value, Mapping):
        return ", ".join(f"{str(name).replace('_', ' ')} {describe_value(each)}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(describe_value, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value).replace("_", " ")


def _describe_scoring(scoring: Mapping[str, Any]) -> str:
    if scoring["places"] is None:
        games = "2 for each seat beaten and 1 for each tie"
    else:
        games = ", ".join(f"{points} for place {place}" for place, points in enumerate(scoring["places"], 1))
    return "; ".join([games, *(f"{scoring[name]} for {words}" for name, words in _SCORES.items())])


def _describe_limits(limits: Mapping[str, Any] | None) -> str:
    given = {"a move": (limits or {}).get("move_ms"), "a match": (limits or {}).get("match_ms")}
    return ", ".join(f"{format_duration(ms)} for {what}" for what, ms in given.items() if ms) or "no limit"


def explain_costs(costs: Mapping[str, Any], engine: str, names: Mapping[int, str] | None = None) -> list[Reason]:
    """What a pairing cost, in words. An unknown cost keeps its name; docs/tournaments.md lists the known ones."""
    named = {str(number): name for number, name in (names or {}).items()}
    reasons = [Reason("paired by", engine)]
    for name, value in costs.items():
        match name:
            case "floats":
                reasons += [Reason("board with unequal points", _describe_float(each, named)) for each in value]
            case "defeats":
                lost = [f"{named.get(entrant, entrant)} {count}" for entrant, count in value.items()]
                reasons.append(Reason("lives lost", ", ".join(lost)))
            case "planned":
                pairs = [f"{count_things(pairs, 'pair')} {_times(times)}" for times, pairs in value.items()]
                reasons.append(Reason("meetings at the end of the cycle", ", ".join(pairs)))
            case "at_least" if isinstance(value, Mapping):
                bound = f"{count_things(value['meetings'], 'earlier game')}, differences {value['spread']}"
                reasons.append(Reason("no pairing has less than", bound))
            case _:
                reasons.append(Reason(_COSTS.get(name, name.replace("_", " ")), describe_value(value)))
    return reasons


_COSTS = {
    "meetings": "earlier games between the players of a board",
    "spread": "differences in points, all boards together",
    "seats": "times that a player had the same seat before",
    "byes": "earlier byes of players who have one now",
    "seed": "seed of the random choices",
    "cycle": "cycle of the schedule",
    "rounds": "rounds per cycle",
    "squares": "sum of the squares of all meetings",
    "at_least": "no plan has a lower sum than",
    "optimal": "proved to be the best",
}


def _times(times: str) -> str:
    return {"0": "never", "1": "once", "2": "twice"}.get(times, f"{times} times")


def _describe_float(cost: Any, named: Mapping[str, str]) -> str:
    if not isinstance(cost, Mapping):
        return describe_value(cost)
    down, up = (named.get(str(cost[name]), cost[name]) for name in ("down", "up"))
    return f"{down} is ahead of {up} by {cost['by']} of a win"


def describe_act(act: Mapping[str, Any], names: Mapping[int, str]) -> str:
    """What an organiser or administrator did, from its description as in the API."""
    if act["entrant"] is not None:
        verb = "disqualified" if act["what"] == "entrant-disqualified" else "withdrew"
        return f"{verb} {names[act['entrant']]}"
    if act["round"] is None:
        return "called the tournament off"
    return _RULINGS[act["what"]].format(f"round {act['round']}, board {act['board']}, game {act['game']}")


_RULINGS = {
    "game-annulled": "annulled {}",
    "game-retried": "had {} tried again",
    "game-adjudicated": "adjudicated {}",
    "game-forfeited": "declared {} forfeited",
}
