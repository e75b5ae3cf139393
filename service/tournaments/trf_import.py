"""Makes a tournament of a club from a TRF report: guests, rounds paired by hand, and results entered at the table.

Every step is a command that is decided like any other. The events of all of them are stored at once, or none.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from plyscribe.domain.aggregate import Decided
from plyscribe.domain.chain import first_link, link_all
from plyscribe.domain.codec import Event, format_event
from plyscribe.domain.commands import Actor, Command
from plyscribe.domain.errors import WrongValue
from plyscribe.domain.events import Guest
from plyscribe.domain.tournament.commands import (
    AnnounceAbsence,
    AnnulGame,
    CreateTournament,
    EndTournament,
    GivePenalty,
    PairByHand,
    RegisterEntrant,
    ReportResult,
    StartTournament,
)
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.streams.handler import Ready
from plyscribe.service.tournaments.runner import RUNNER
from plyscribe.service.tournaments.trf_reading import (
    BYE,
    FULL_BYE,
    HALF_BYE,
    HALVES,
    PENDING,
    ZERO_BYE,
    Player,
    Report,
)

WHY = "as in the TRF report"
UNNAMED = "Imported tournament"
RANKS = {"1": (1, 2), "0": (2, 1), "=": (1, 1)}
"""The ranks of white and black by the result of white."""

FEWEST_PLAYERS = 2


class Order(NamedTuple):
    """A command to be: its class, its fields, and who gives it (None: the one who imports)."""

    command: type[Command]
    fields: dict[str, Any]
    actor: Actor | None = None


class Absences(NamedTuple):
    """Which letters of the report are absences and which are byes that entrants asked for."""

    absence: str
    asked: str | None


def draft_import(stream: str, report: Report, terms: dict[str, Any], base: dict[str, Any]) -> Ready[Tournament]:
    """All events of the tournament in a report, to be stored in a new stream.

    `terms` are those that a report does not have: ruleset, options, seed and the like. `base` has the actor, time and
    id of all commands. WrongValue or another refusal says what the report has that no tournament here can have.
    """
    empty = state = Tournament(stream)
    events: list[Event] = []
    for command, fields, actor in _list_orders(report, terms):
        order = command(**{**base, "actor": actor or base["actor"]}, **fields)
        decided = TOURNAMENT.decide(order, state).events
        linked = link_all(state.head or first_link(stream), state.version + 1, map(format_event, decided))
        state = TOURNAMENT.fold(state, linked)
        events += decided
    return Ready(empty, Decided(events))


def _list_orders(report: Report, terms: dict[str, Any]) -> Iterator[Order]:
    letters = _choose_letters(report)
    yield Order(CreateTournament, {**_describe_terms(report, letters), **terms})
    names = _strip_numbers(report)
    for player in report.players:
        named = {"occupant": Guest(names[player.number]), "rating": player.rating, "seed": player.number}
        yield Order(RegisterEntrant, named)
    played = _count_played(report)
    if not played:
        return
    yield Order(StartTournament, {})
    for round in range(1, len(report.players[0].turns) + 1):
        yield from _list_absences(report, round, letters, round <= played)
        if round <= played:
            yield from _list_games(report, round)
    for player in report.players:
        halves = sum(HALVES.get(turn.result, 0) for turn in player.turns)
        if player.halves is not None and player.halves < halves:
            penalty = {"entrant": player.number, "points": halves - player.halves, "why": WHY}
            yield Order(GivePenalty, penalty)
    is_pending = any(turn.result == PENDING for player in report.players for turn in player.turns)
    if played == report.rounds and not is_pending:
        yield Order(EndTournament, {"reason": "played"}, RUNNER)


def _describe_terms(report: Report, letters: Absences) -> dict[str, Any]:
    asked = Counter(player.number for player in report.players for turn in player.turns if turn.result == letters.asked)
    scoring: dict[str, Any] = {"absence": HALVES.get(letters.absence, 0)}
    if letters.asked is not None:
        scoring |= {"asked_byes": max(asked.values()), "asked_bye": HALVES[letters.asked]}
    return {
        "name": report.name or UNNAMED,
        "format": {"kind": "swiss", "rounds": report.rounds},
        "scoring": scoring,
        "at_table": True,
        "rounds_begin": "call",
        "max_entrants": max(FEWEST_PLAYERS, len(report.players)),
    }


def _choose_letters(report: Report) -> Absences:
    """A tournament has one worth for absences and one for byes that were asked for; WrongValue if that is too few."""
    first: dict[str, Player] = {}
    for player in report.players:
        for turn in player.turns:
            if turn.result in (ZERO_BYE, HALF_BYE, FULL_BYE):
                first.setdefault(turn.result, player)
    others = [letter for letter in (HALF_BYE, FULL_BYE) if letter in first]
    if len(others) < 2:
        return Absences(ZERO_BYE, others[0] if others else None)
    if ZERO_BYE in first:
        why = "the report has Z, H and F, but rounds without a game can have two worths here, not three"
        raise WrongValue("trf/invalid", f"line {first[FULL_BYE].line}: {why}")
    return Absences(FULL_BYE, HALF_BYE)


def _strip_numbers(report: Report) -> dict[int, str]:
    """The names, without the numbers that tell equal names apart in reports of ours."""
    plain = {each.number: each.name.removesuffix(f" #{each.number}") for each in report.players}
    often = Counter(name.casefold() for name in plain.values())
    return {
        each.number: plain[each.number] if often[plain[each.number].casefold()] > 1 else each.name
        for each in report.players
    }


def _count_played(report: Report) -> int:
    """The rounds that were paired. After them the report can have byes that players asked for."""
    paired = [
        round
        for player in report.players
        for round, turn in enumerate(player.turns, 1)
        if turn.opponent is not None or turn.result == BYE
    ]
    return max(paired, default=0)


def _list_absences(report: Report, round: int, letters: Absences, is_paired: bool) -> Iterator[Order]:
    for player in report.players:
        turn = player.turns[round - 1]
        is_announced = is_paired or turn.result != ZERO_BYE  # a blank says nothing about a round to come
        if turn.opponent is None and turn.result != BYE and is_announced:
            fields = {"entrant": player.number, "round": round, "bye": turn.result == letters.asked}
            yield Order(AnnounceAbsence, fields)


def _list_games(report: Report, round: int) -> Iterator[Order]:
    """The pairing of the round, and the result of each game. Nobody scores in a game that counts for nobody."""
    boards: list[tuple[int, int]] = []
    results: list[tuple[str, str]] = []
    byes = []
    for player in report.players:
        turn = player.turns[round - 1]
        if turn.opponent is None:
            byes += [player.number] if turn.result == BYE else []
        elif turn.colour == "w" or (turn.colour == "-" and player.number < turn.opponent):
            boards.append((player.number, turn.opponent))
            results.append((turn.result, report.players[turn.opponent - 1].turns[round - 1].result))
    yield Order(PairByHand, {"round": round, "boards": tuple(boards), "byes": tuple(byes), "why": WHY})
    for board, (entrants, pair) in enumerate(zip(boards, results, strict=True), 1):
        yield from _list_results({"round": round, "board": board, "game": 1}, entrants, pair)


def _list_results(place: dict[str, int], entrants: tuple[int, int], pair: tuple[str, str]) -> Iterator[Order]:
    match pair:
        case (" ", " "):
            return
        case ("0", "0"):
            yield Order(ReportResult, {**place, "ranks": (1, 1)})
            yield Order(AnnulGame, {**place, "why": WHY})
        case (white, _) if white in RANKS:
            yield Order(ReportResult, {**place, "ranks": RANKS[white]})
        case _:
            losers = tuple(entrant for entrant, result in zip(entrants, pair, strict=True) if result == "-")
            yield Order(ReportResult, {**place, "ranks": None, "forfeited": losers})
