"""The terms, costs and acts of a tournament in words, for its page."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.tournament.due_dates import UNPLAYED
from plyscribe.domain.tournament.evolve import BY_HAND
from plyscribe.service.language.guidance import list_ways
from plyscribe.service.language.sentences import translate
from plyscribe.service.web.pages.blueprint import blueprint
from plyscribe.service.web.pages.option_fields import describe_chosen, format_value
from plyscribe.service.web.pages.speech import gettext, gettext_noop, ngettext, page_language
from plyscribe.service.web.pages.time_words import describe_limits

SPRT_ENDS = ("sprt-elo0", "sprt-elo1")
"""How a tournament ends that its sequential test has decided."""


class Reason(NamedTuple):
    """What something is called, and its value, in words."""

    what: str
    value: str


@blueprint.app_template_filter("tournament_status")
def name_status(status: str) -> str:
    """The status of a tournament in words."""
    match status:
        case "open":
            return gettext("open to enter")
        case "playing":
            return gettext("under way")
        case "ended":
            return gettext("over")
    return gettext("called off")


def describe_format(format: Mapping[str, Any]) -> str:
    """The format, such as `Swiss, 5 rounds`."""
    match format["kind"]:
        case "round-robin":
            return ngettext(
                "Round robin, %(num)s cycle: everybody meets everybody",
                "Round robin, %(num)s cycles: everybody meets everybody",
                format["cycles"],
            )
        case "swiss":
            return ngettext("Swiss, %(num)s round", "Swiss, %(num)s rounds", format["rounds"])
        case "pyramid":
            return ngettext(
                "Pyramid, %(num)s cycle: everybody meets those before them",
                "Pyramid, %(num)s cycles: everybody meets those before them",
                format["cycles"],
            )
        case "groups":
            return _describe_groups(format)
        case "ladder":
            return ngettext(
                "Ladder, challenges reach %(num)s rung up", "Ladder, challenges reach %(num)s rungs up", format["reach"]
            )
        case "league":
            return ngettext(
                "League, a round lasts %(num)s day", "League, a round lasts %(num)s days", format["round_days"]
            )
        case "knockout":
            return ngettext("Knockout, out after %(num)s loss", "Knockout, out after %(num)s losses", format["lives"])
        case "scheveningen":
            return ngettext(
                "Scheveningen, %(num)s cycle: each member of a team meets each of the other",
                "Scheveningen, %(num)s cycles: each member of a team meets each of the other",
                format["cycles"],
            )
        case "team-round-robin":
            return ngettext(
                "Round robin of teams on %(boards)s boards, %(num)s cycle",
                "Round robin of teams on %(boards)s boards, %(num)s cycles",
                format["cycles"],
                boards=format["boards"],
            )
        case "team-swiss":
            return ngettext(
                "Swiss of teams on %(boards)s boards, %(num)s round",
                "Swiss of teams on %(boards)s boards, %(num)s rounds",
                format["rounds"],
                boards=format["boards"],
            )
    return ngettext(
        "Gauntlet, %(num)s cycle: the first entrant meets all others",
        "Gauntlet, %(num)s cycles: the first entrant meets all others",
        format["cycles"],
    )


def _describe_dates(format: Mapping[str, Any]) -> Iterator[Reason]:
    """When the rounds of a league begin, and who loses a game that is not played in time."""
    if "next_round" in format:
        begins = {
            "decided": gettext("at its date, once the round before is decided"),
            "date": gettext("at its date, even if games are still open"),
            "early": gettext("as soon as the round before is decided"),
        }
        yield Reason(gettext("Each round begins"), begins[format["next_round"]])
    if "cooldown_days" in format:
        days = format["days"], format["cooldown_days"]
        played, again = (ngettext("%(num)s day", "%(num)s days", each) for each in days)
        yield Reason(gettext("Time to play a challenge"), played)
        yield Reason(gettext("Time until the same two meet again"), again)
    if format.get("weeks"):
        yield Reason(gettext("Length"), ngettext("%(num)s week", "%(num)s weeks", format["weeks"]))
    if "overdue" in format:
        losers = {
            "absent": gettext("who was to move loses"),
            "both": gettext("both lose"),
            "challenged": gettext("the challenged loses"),
        }
        yield Reason(gettext("If a game is not played in time"), losers[format["overdue"]])


def _describe_groups(format: Mapping[str, Any]) -> str:
    if "groups" in format:
        groups = ngettext("%(num)s group", "%(num)s groups", format["groups"])
    else:
        groups = gettext("Groups of at most %(size)s", size=format["size"])
    best = format["advance"]
    return ngettext(
        "%(groups)s, then a knockout of the best of each",
        "%(groups)s, then a knockout of the best %(num)s of each",
        best,
        groups=groups,
    )


def describe_terms(tournament: Mapping[str, Any]) -> Iterator[Reason]:
    """The terms of a tournament, from its description as in the API."""
    yield Reason(gettext("Format"), describe_format(tournament["format"]))
    yield from _describe_dates(tournament["format"])
    yield Reason(gettext("Games"), _describe_repeat(tournament["repeat"]))
    yield from _describe_options(tournament)
    yield Reason(gettext("Scoring"), _describe_scoring(tournament["scoring"]))
    tiebreaks = ", ".join(map(name_tiebreak, tournament["tiebreaks"]))
    yield Reason(gettext("With equal points"), tiebreaks or gettext("none"))
    yield Reason(gettext("Time"), describe_limits(tournament["limits"]))
    if tournament["openings"]:
        count = len(tournament["openings"])
        yield Reason(gettext("Openings"), gettext("%(count)s, which the boards take in turn", count=count))
    if tournament["sprt"]:
        said = gettext(
            "Elo difference %(elo0)s against %(elo1)s, error rates %(alpha)s and %(beta)s", **tournament["sprt"]
        )
        yield Reason(gettext("Sequential test"), said)
    most = tournament["max_entrants"]
    entry = (
        gettext("everybody, at most %(most)s", most=most)
        if tournament["is_open"]
        else gettext("those whom the organiser invites, at most %(most)s", most=most)
    )
    yield Reason(gettext("Who can enter"), entry)
    yield from _describe_setting(tournament)
    yield Reason(gettext("Number that all random choices follow from"), str(tournament["seed"]))


def _describe_setting(tournament: Mapping[str, Any]) -> Iterator[Reason]:
    """Where and how a tournament is played, and who sees it."""
    where = gettext("At tables in a hall") if tournament["at_table"] else gettext("Online, on this server")
    yield Reason(gettext("Where it is played"), where)
    is_called = tournament["rounds_begin"] == "call"
    begin = gettext("When the organiser calls it") if is_called else gettext("By itself, once the round before is over")
    yield Reason(gettext("When a round begins"), begin)
    if tournament["rated"]:
        yield Reason(gettext("Rated"), gettext("Matches between two accounts change their ratings."))
    if tournament["private"]:
        yield Reason(gettext("Private"), gettext("Only those who take part can see the tournament and its matches."))


def name_note(name: str) -> str:
    """What a note about a match is about, as the form of a recorded match calls it. Others keep their names."""
    known = {
        "event": gettext("Event"),
        "place": gettext("Place of play"),
        "round": gettext("Round"),
        "annotator": gettext("Who writes the notes"),
        "date": gettext("Date"),
    }
    return known.get(name, name.capitalize())


def _describe_repeat(repeat: str) -> str:
    match repeat:
        case "once":
            return gettext("one on each board")
        case "rotations":
            return gettext("on each board, one for each rotation of the seats")
    return gettext("on each board, one for each order of the seats")


def _describe_options(tournament: Mapping[str, Any]) -> Iterator[Reason]:
    ruleset = find_ruleset(tournament["ruleset"], tournament["ruleset_version"])
    for label, words in describe_chosen(ruleset, tournament["options"]):
        yield Reason(label, words)


@blueprint.app_template_filter("tiebreak")
def name_tiebreak(name: str) -> str:
    """A tiebreak as people call it."""
    match name:
        case "buchholz":
            return gettext("Buchholz")
        case "buchholz-cut-1":
            return gettext("Buchholz without the lowest")
        case "sonneborn-berger":
            return gettext("Sonneborn-Berger")
        case "direct":
            return gettext("Head to head")
        case "wins":
            return gettext("Wins")
        case "opponents-mean":
            return gettext("Mean of the opponents")
    return gettext("Places")


def _describe_scoring(scoring: Mapping[str, Any]) -> str:
    if scoring["places"] is None:
        games = gettext("2 for each player beaten and 1 for each tie")
    else:
        each = [
            gettext("%(points)s for place %(place)s", points=points, place=place)
            for place, points in enumerate(scoring["places"], 1)
        ]
        games = ", ".join(each)
    said = [games, gettext("%(points)s for a bye", points=scoring["bye"])]
    if most := scoring.get("asked_byes"):
        asked = gettext(
            "%(points)s for a bye that was asked for, at most %(most)s each", points=scoring["asked_bye"], most=most
        )
        said.append(asked)
    return "; ".join([*said, gettext("%(points)s for an absence", points=scoring["absence"])])


def explain_costs(costs: Mapping[str, Any], engine: str, names: Mapping[int, str] | None = None) -> list[Reason]:
    """What a pairing cost, in words. An unknown cost keeps its name; docs/tournaments.md lists the known ones."""
    named = {str(number): name for number, name in (names or {}).items()}
    reasons = [Reason(gettext("paired by"), gettext("a person, by hand") if engine == BY_HAND else engine)]
    for name, value in costs.items():
        match name:
            case "slots":
                slots = sorted(value, key=lambda each: int(value[each]))
                reasons.append(
                    Reason(gettext("bracket, from top to bottom"), ", ".join(named.get(e, e) for e in slots))
                )
            case "challenger" | "challenged":
                who = gettext("who challenged") if name == "challenger" else gettext("who was challenged")
                reasons.append(Reason(who, named.get(str(value), str(value))))
            case "rungs":
                climb = gettext("from rung %(low)s to rung %(high)s", low=value["from"], high=value["to"])
                reasons.append(Reason(gettext("what it was for"), climb))
            case "stage":
                reasons.append(Reason(gettext("stage"), name_stage(value)))
            case "floats":
                unequal = gettext("board with unequal points")
                reasons += [Reason(unequal, _describe_float(each, named)) for each in value]
            case "team_floats":
                unequal = gettext("match of teams with unequal points")
                said = [
                    gettext("%(down)s is ahead of %(up)s by %(by)s of a win", **_name_float(each)) for each in value
                ]
                reasons += [Reason(unequal, each) for each in said]
            case "defeats":
                lost = [f"{named.get(entrant, entrant)} {count}" for entrant, count in value.items()]
                reasons.append(Reason(gettext("lives lost"), ", ".join(lost)))
            case "planned":
                pairs = [_count_pairs(times, count) for times, count in value.items()]
                reasons.append(Reason(gettext("meetings at the end of the cycle"), ", ".join(pairs)))
            case "at_least" if isinstance(value, Mapping):
                reasons.append(Reason(gettext("no pairing has less than"), _describe_bound(value)))
            case _:
                reasons.append(Reason(_name_cost(name), format_value(value)))
    return reasons


@blueprint.app_template_filter("stage")
def name_stage(stage: str) -> str:
    """A stage of a tournament with groups, in words."""
    return gettext("groups") if stage == "groups" else gettext("knockout")


def _name_cost(name: str) -> str:
    known = {
        "why": gettext("why it was paired by hand"),
        "meetings": gettext("earlier games between the players of a board"),
        "spread": gettext("differences in points, all boards together"),
        "seats": gettext("times that a player had the same seat before"),
        "byes": gettext("earlier byes of players who have one now"),
        "seed": gettext("number that the random choices follow from"),
        "cycle": gettext("cycle of the schedule"),
        "rounds": gettext("rounds per cycle"),
        "squares": gettext("sum of the squares of all meetings"),
        "at_least": gettext("no plan has a lower sum than"),
        "optimal": gettext("proved to be the best"),
    }
    return known.get(name, name.replace("_", " "))


def _describe_bound(bound: Mapping[str, Any]) -> str:
    return ngettext(
        "%(num)s earlier game, differences %(spread)s",
        "%(num)s earlier games, differences %(spread)s",
        bound["meetings"],
        spread=bound["spread"],
    )


def _count_pairs(times: str, count: int) -> str:
    pairs = ngettext("%(num)s pair", "%(num)s pairs", count)
    match times:
        case "0":
            return gettext("%(pairs)s never", pairs=pairs)
        case "1":
            return gettext("%(pairs)s once", pairs=pairs)
        case "2":
            return gettext("%(pairs)s twice", pairs=pairs)
    return gettext("%(pairs)s %(times)s times", pairs=pairs, times=times)


def _describe_float(cost: Any, named: Mapping[str, str]) -> str:
    if not isinstance(cost, Mapping):
        return format_value(cost)
    down, up = (named.get(str(cost[name]), cost[name]) for name in ("down", "up"))
    return gettext("%(down)s is ahead of %(up)s by %(by)s of a win", down=down, up=up, by=cost["by"])


def _name_float(cost: Mapping[str, Any]) -> dict[str, Any]:
    return {"down": cost["from"], "up": cost["to"], "by": cost["by"]}


def describe_act(act: Mapping[str, Any], names: Mapping[int, str], last_round: int | None = None) -> str:
    """What an organiser, arbiter or administrator did, from its description as in the API.

    `last_round` is the last one of a tournament that has ended. To call one more has ended it.
    """
    if act["what"] == "round-called" and last_round is not None and act["round"] > last_round:
        return gettext("ended the tournament")
    values = {
        "name": names.get(act["entrant"], "") if act["entrant"] is not None else act["player_name"] or "",
        "round": act["round"],
        "board": act["board"],
        "which": _name_place(act),
    }
    text = _ACTS[act["what"]]
    return gettext(text, **values)


def _name_place(act: Mapping[str, Any]) -> str:
    if act["round"] is None:
        return gettext("all boards")
    if act["game"] is None:
        return gettext("round %(round)s, board %(board)s", round=act["round"], board=act["board"])
    return gettext(
        "round %(round)s, board %(board)s, game %(game)s", round=act["round"], board=act["board"], game=act["game"]
    )


_ACTS = {
    "arbiter-named": gettext_noop("made %(name)s an arbiter"),
    "arbiter-dismissed": gettext_noop("%(name)s is an arbiter no longer"),
    "deadline-extended": gettext_noop("extended the deadline of round %(round)s"),
    "entrant-disqualified": gettext_noop("disqualified %(name)s"),
    "entrant-returned": gettext_noop("let %(name)s return"),
    "entrant-withdrawn": gettext_noop("withdrew %(name)s"),
    "entry-link-revoked": gettext_noop("made all entry links void"),
    "entry-request-ended": gettext_noop("did not let %(name)s in"),
    "game-adjudicated": gettext_noop("adjudicated %(which)s"),
    "game-annulled": gettext_noop("annulled %(which)s"),
    "game-corrected": gettext_noop("corrected the result of %(which)s"),
    "game-forfeited": gettext_noop("declared %(which)s forfeited"),
    "arbiter-call-answered": gettext_noop("answered the call of %(which)s"),
    "game-replayed": gettext_noop("had %(which)s played once more"),
    "game-reported": gettext_noop("entered the result of %(which)s"),
    "game-retried": gettext_noop("had %(which)s tried again"),
    "penalty-given": gettext_noop("gave %(name)s a penalty"),
    "penalty-lifted": gettext_noop("lifted a penalty of %(name)s"),
    "round-called": gettext_noop("called round %(round)s"),
    "round-paired": gettext_noop("paired round %(round)s by hand"),
    "round-taken-back": gettext_noop("took the pairing of round %(round)s back"),
    "table-codes-revoked": gettext_noop("made the codes of %(which)s void"),
    "tournament-closed": gettext_noop("closed the ladder"),
    "tournament-aborted": gettext_noop("called the tournament off"),
    "tournament-paused": gettext_noop("paused the tournament"),
    "tournament-resumed": gettext_noop("let the tournament go on"),
}


@blueprint.app_template_filter("ruled_why")
def name_why(why: str) -> str:
    """Why somebody decided a game, as they said it; what the server says about a deadline in the reader's language."""
    return gettext("not played by its deadline") if why == UNPLAYED else why


@blueprint.app_template_filter("way")
def name_way(reason: str) -> str:
    """How a game ended, by the reason of its match or a ruling. An unknown one keeps its name."""
    if way := list_ways().get(reason):
        return translate(way, page_language(), {})
    known = {
        "withdrawal": gettext("because a player left"),
        "adjudicated": gettext("by a decision of the organiser"),
        "forfeited": gettext("by forfeit"),
        "reported": gettext("as entered at the table"),
    }
    return known.get(reason, reason.replace("-", " "))


def describe_end(reason: str | None) -> str | None:
    """Why a tournament is over; None if it is not, or if all its games were played."""
    if reason in (None, "played"):
        return None
    if reason == "closed":
        return gettext("the organiser closed it")
    return gettext("the sequential test has decided") if reason in SPRT_ENDS else reason


@blueprint.app_template_filter("incident")
def name_incident(cause: str) -> str:
    """What went wrong in a game, by a cause of docs/tournaments.md. An unknown one keeps its name."""
    known = {
        "refuted": gettext("the second execution disagreed"),
        "play-failed": gettext("the bots or the rules broke down"),
        "called-off": gettext("the match was called off"),
        "annulled": gettext("the match was annulled"),
        "time": gettext("did not move in time"),
        "crashed": gettext("the program crashed"),
        "silent": gettext("the program did not answer"),
        "illegal": gettext("the program made an illegal move"),
        "unreadable": gettext("the program answered what cannot be read"),
        "absent": gettext("left the tournament"),
        "disqualified": gettext("was disqualified"),
        "forfeited": gettext("lost by forfeit"),
        "resigned": gettext("resigned by choice"),
    }
    return known.get(cause, cause.replace("-", " "))
