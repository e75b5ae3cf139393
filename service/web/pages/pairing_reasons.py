"""Why each board of a round was paired, in sentences.

The reasons and their words are those of `domain/tournament/reasons.py`. A new word needs a sentence in `SAID`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from plyscribe.service.web.pages.speech import gettext, gettext_noop

Json = Mapping[str, Any]


class BoardWhy(NamedTuple):
    """A board or a bye, and why it was paired."""

    id: str
    title: str
    said: str


def describe_boards(round: Json, names: Mapping[int, str]) -> list[BoardWhy]:
    """The boards and byes of a round, from its description as in the API."""
    boards = [
        BoardWhy(
            f"board-{each['board']}",
            gettext("Board %(board)s, %(names)s", board=each["board"], names=_join(each["entrants"], names)),
            describe_reasons(each["reasons"], names),
        )
        for each in round["boards"]
    ]
    byes = [
        BoardWhy(
            f"bye-{each['entrant']}",
            gettext("Bye, %(name)s", name=names[each["entrant"]]),
            describe_reasons(each["reasons"], names),
        )
        for each in round["bye_reasons"]
    ]
    return boards + byes


def describe_reasons(reasons: Sequence[Json], names: Mapping[int, str]) -> str:
    """The reasons in sentences, in their order."""
    return " ".join(describe_reason(each, names) for each in reasons)


def describe_reason(reason: Json, names: Mapping[int, str]) -> str:
    """A reason in a sentence; an unknown word stays as it is."""
    entrants, values = [names[each] for each in reason["entrants"]], reason["values"]
    said = {f"name{place}": name for place, name in enumerate(entrants, 1)}
    for name, value in values.items():
        if isinstance(value, list):
            said |= {f"{name}{place}": str(each) for place, each in enumerate(value, 1)}
        said[name] = _list_values(value)
    text = SAID.get(reason["word"])
    if text is None:
        return str(reason["word"]).replace("-", " ")
    if "strength" in values:
        strong = _STRENGTHS[values["strength"]]
        said["strength"] = gettext(strong)
    return gettext(text, **{"by_name": "", **said, "names": _join(reason["entrants"], names)})


def _list_values(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _join(entrants: Sequence[int], names: Mapping[int, str]) -> str:
    return " – ".join(names[each] for each in entrants)


_STRENGTHS = {
    "absolute": gettext_noop("must have it"),
    "strong": gettext_noop("has had the other seat once more"),
    "mild": gettext_noop("had the other seat last"),
}

SAID = {
    "by-hand": gettext_noop("%(by_name)s paired it by hand: “%(why)s”."),
    "circle": gettext_noop(
        "The schedule has them meet in round %(turn)s of cycle %(cycle)s, at place %(place)s of %(places)s of the "
        "circle."
    ),
    "circle-turned": gettext_noop("Their seats are exchanged, because somebody left or sits out."),
    "circle-empty": gettext_noop(
        "The schedule has nobody for %(name1)s in round %(turn)s of cycle %(cycle)s: the number of entrants is odd."
    ),
    "opponent-missing": gettext_noop("The schedule has %(name1)s meet %(name2)s, who does not play this round."),
    "pod-plan": gettext_noop("The plan of cycle %(cycle)s has it so in round %(turn)s of %(turns)s."),
    "gauntlet": gettext_noop("Challenger %(place)s of %(places)s in cycle %(cycle)s."),
    "bracket": gettext_noop(
        "They have places %(slots1)s and %(slots2)s in the bracket, in the same block of %(block)s places."
    ),
    "bracket-free": gettext_noop("Nobody else is left near place %(slot)s of the bracket."),
    "last-two": gettext_noop("They are the last two."),
    "beaten": gettext_noop("The beaten play on, best against last: %(places)s of %(of)s."),
    "beaten-odd": gettext_noop("An odd number of beaten entrants play on, and nobody has had fewer byes: %(byes)s."),
    "won-board": gettext_noop("%(name1)s won board %(board)s of round %(round)s."),
    "won-level": gettext_noop("%(name1)s went on from board %(board)s of round %(round)s as the better seed."),
    "lost-board": gettext_noop("%(name1)s lost board %(board)s of round %(round)s and had a life left."),
    "had-bye": gettext_noop("%(name1)s had a bye in round %(round)s."),
    "score-group": gettext_noop("Both had %(points)s points."),
    "floated": gettext_noop("%(name1)s with %(points1)s points comes down to %(name2)s with %(points2)s."),
    "ranks": gettext_noop("They are numbers %(ranks1)s and %(ranks2)s of the %(of)s with these points."),
    "points": gettext_noop("Their points: %(points)s."),
    "meetings": gettext_noop("Earlier meetings: %(number)s."),
    "seat-due": gettext_noop("%(name1)s is due seat %(seat)s and has it (%(strength)s)."),
    "seat-denied": gettext_noop("%(name1)s is due seat %(seat)s and has the other (%(strength)s)."),
    "seat-by-number": gettext_noop(
        "Neither had a seat before: %(name1)s, the better seed, has number %(number)s, and odd numbers get seat 1."
    ),
    "seats-had": gettext_noop("Times that they had their seats before: %(times)s."),
    "bye-lowest": gettext_noop("%(name1)s had %(points)s points and %(byes)s byes before."),
    "scheveningen": gettext_noop(
        "The plan has members %(places1)s and %(places2)s meet in round %(turn)s of cycle %(cycle)s."
    ),
    "team-match": gettext_noop("Board %(position)s of %(teams1)s against %(teams2)s."),
    "moved-up": gettext_noop("%(name1)s, number %(place)s of the team, has moved up."),
    "team-circle": gettext_noop("The schedule has the teams meet in round %(turn)s of cycle %(cycle)s."),
    "team-points": gettext_noop("The teams had %(points)s match points."),
    "team-meetings": gettext_noop("Earlier meetings of the teams: %(number)s."),
    "team-bye": gettext_noop("%(team)s has no opponent in this round."),
    "team-short": gettext_noop("The other team is short of a member for %(name1)s."),
    "bye-left-over": gettext_noop("No full board was left for %(name1)s, with %(byes)s byes before."),
    "pyramid": gettext_noop("%(name2)s, at place %(place)s of the pyramid, meets %(name1)s, at place %(before)s."),
    "group": gettext_noop("Both are in group %(group)s: round %(turn)s of cycle %(cycle)s."),
    "group-empty": gettext_noop(
        "Group %(group)s has nobody for %(name1)s in round %(turn)s: the number in the group is odd."
    ),
    "group-bracket": gettext_noop(
        "They come from groups %(groups1)s and %(groups2)s, and have places %(slots1)s and %(slots2)s in the bracket, "
        "in the same block of %(block)s places."
    ),
    "group-free": gettext_noop("Nobody else is left in the part of the bracket around place %(slot)s."),
    "challenge": gettext_noop("%(name1)s, on rung %(low)s, challenged %(name2)s, on rung %(high)s."),
}
"""A sentence for each word."""
