"""Describes tournaments as JSON-ready answers: terms, table, rounds, attempts, games."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple

import orjson

from plyscribe.domain.codec import dump_data
from plyscribe.domain.events import Account, BuiltIn, Guest
from plyscribe.domain.match import Match, fold
from plyscribe.domain.record import format_record, record_of
from plyscribe.domain.tournament.attempts import Attempt, Incident, count_all_faults, list_all_attempts
from plyscribe.domain.tournament.conditions import require_entrant
from plyscribe.domain.tournament.due_dates import find_game_deadline, find_next_begin, list_due
from plyscribe.domain.tournament.entrant_builds import Played, list_played
from plyscribe.domain.tournament.events import RoundPaired
from plyscribe.domain.tournament.explaining import Explanation, Reason
from plyscribe.domain.tournament.group_tables import find_stage
from plyscribe.domain.tournament.ladder import (
    Challenge,
    find_end,
    find_objection,
    is_ladder,
    list_within_reach,
    survey_challenges,
)
from plyscribe.domain.tournament.naming import name_entrants
from plyscribe.domain.tournament.points import format_points
from plyscribe.domain.tournament.reasons import explain_rounds
from plyscribe.domain.tournament.schedule import Pairing, bound_rounds
from plyscribe.domain.tournament.sprt import judge_entrants
from plyscribe.domain.tournament.state import Act, Entrant, Game, Invitation, Penalty, Request, Tournament, replace_game
from plyscribe.domain.tournament.tables import dump_table
from plyscribe.domain.tournament.team_standings import dump_team_matches, dump_teams
from plyscribe.domain.tournament.teams import Team, is_of_teams, list_teams
from plyscribe.service.access.accounts import Accounts
from plyscribe.service.matches.queries import dump_events
from plyscribe.service.streams.handler import Answer, Handler
from plyscribe.service.tournaments.entrant_ratings import rate_entrants
from plyscribe.service.tournaments.pairing import pair_next
from plyscribe.service.tournaments.pairing_check import PairingCheck
from plyscribe.service.tournaments.runner import Tournaments

TABLES = 16
"""Tables that a process keeps, of at most a megabyte each, with their tournaments."""

Fields = dict[str, Any]


def name_players(state: Tournament, accounts: Accounts) -> dict[int, str]:
    """The names of the entrants that are players without a label. A tournament's stream never holds them."""
    return {
        each.number: accounts.name_of(each.occupant.player)
        for each in state.entrants
        if isinstance(each.occupant, Account) and each.label is None
    }


def name_all(state: Tournament, accounts: Accounts) -> dict[int, str]:
    """The names of all entrants, told apart: see name_entrants."""
    return name_entrants(state, name_players(state, accounts))


def describe_receipt(answer: Answer[Tournament]) -> Fields:
    """The receipt of a command; follows from the stream up to the last event that the command stored, and no more."""
    last = answer.events[-1]
    return {
        "tournament": answer.state.stream,
        "version": last.version,
        "hash": last.h.hex(),
        "status": answer.state.status,
        "events": dump_events(answer.events),
    }


def describe_tournament(state: Tournament, accounts: Accounts) -> Fields:
    """A tournament as it stands."""
    terms, names, played = state.terms, name_all(state, accounts), list_played(state)
    return {
        "tournament": state.stream,
        "version": state.version,
        "name": terms.name,
        "status": state.status,
        "ended": state.ended,
        "organiser": state.organiser,
        "created_at": state.created_at,
        "ruleset": terms.ruleset,
        "ruleset_version": terms.ruleset_version,
        "options": terms.options,
        "seats": terms.seats,
        "format": terms.format,
        "repeat": terms.repeat,
        "openings": [list(moves) for moves in terms.openings],
        "scoring": terms.scoring,
        "tiebreaks": list(terms.tiebreaks),
        "limits": terms.limits,
        "sprt": terms.sprt,
        "max_entrants": terms.max_entrants,
        "is_open": terms.is_open,
        "rounds_begin": terms.rounds_begin,
        "at_table": terms.at_table,
        "rated": terms.rated,
        "private": terms.private,
        "paused": state.paused,
        "closed": state.closed,
        "ends_at": find_end(state) if is_ladder(state) else None,
        "called": state.called,
        "arbiters": [{"player": each, "player_name": accounts.name_of(each)} for each in state.arbiters],
        "requests": [_describe_invitation(each, accounts) for each in list_requests(state)],
        "penalties": [_describe_penalty(each) for each in state.penalties],
        "seed": terms.seed,
        "teams": [_describe_team(each) for each in list_teams(state)],
        "entrants": [
            _describe_entrant(each, names[each.number], accounts, played.get(each.number)) for each in state.entrants
        ],
        "invitations": [_describe_invitation(each, accounts) for each in list_invitations(state)],
        "acts": [_describe_act(each, accounts) for each in state.acts],
        "rounds": len(state.rounds),
        "games": sum(1 for _ in state.games()),
        "decided": sum(game.ranks is not None for game in state.games()),
        "given_up": sum(game.is_given_up for game in state.games()),
        "faults": count_all_faults(state),
    }


def _describe_team(team: Team) -> Fields:
    return {"team": team.number, "name": team.name, "members": list(team.members)}


def list_invitations(state: Tournament) -> Sequence[Invitation]:
    """The invitations that can still be accepted, oldest first."""
    return state.invitations if state.takes_entrants else ()


def list_requests(state: Tournament) -> Sequence[Request]:
    """The requests to be let in that can still be granted, oldest first."""
    return state.requests if state.takes_entrants else ()


def _describe_penalty(penalty: Penalty) -> Fields:
    return {
        "penalty": penalty.number,
        "entrant": penalty.entrant,
        "points": penalty.points,
        "round": penalty.round,
        "why": penalty.why,
        "lifted": penalty.lifted,
    }


def _describe_invitation(invitation: Invitation | Request, accounts: Accounts) -> Fields:
    name = accounts.name_of(invitation.player)
    return {"player": invitation.player, "player_name": name, "label": invitation.label, "at": invitation.at}


def _describe_act(act: Act, accounts: Accounts) -> Fields:
    round, board, game = act.place or (act.round, act.board, None)
    return {
        "at": act.at,
        "by": act.by,
        "by_name": accounts.name_of(act.by),
        "what": act.what,
        "why": act.why,
        "round": round,
        "board": board,
        "game": game,
        "entrant": act.entrant,
        "player": act.player,
        "player_name": act.player and accounts.name_of(act.player),
    }


def _describe_entrant(entrant: Entrant, name: str, accounts: Accounts, played: Played | None) -> Fields:
    occupant = entrant.occupant
    if isinstance(occupant, BuiltIn):
        who: Fields = {"bot": occupant.bot, "bot_version": occupant.version, "playouts": occupant.playouts}
    elif isinstance(occupant, Guest):
        who = {"guest": occupant.name}
    else:
        assert isinstance(occupant, Account)
        who = {"player": occupant.player, "player_name": accounts.name_of(occupant.player)}
    return {
        "entrant": entrant.number,
        **who,
        "name": name,
        "label": entrant.label,
        "is_in": entrant.is_in,
        "absences": sorted(entrant.absences),
        "asked_byes": sorted(entrant.byes),
        "rating": entrant.rating,
        "seed": entrant.seed,
        "team": entrant.team,
        "place": entrant.place,
        "joined": entrant.joined,
        "came": entrant.came,
        "builds": _describe_builds(entrant, played) if played is not None else None,
    }


def _describe_builds(entrant: Entrant, played: Played) -> Fields | None:
    """What the account says of its program; None if it has named no build."""
    if not (entrant.builds or played.builds):
        return None
    return {
        "entered": dump_data(entrant.builds[-1]) if entrant.builds else None,
        "pinned": entrant.is_pinned,
        "played": [
            {**dump_data(each.build), "games": each.games, "first": "-".join(map(str, each.first))}
            for each in played.builds
        ],
        "undeclared": played.undeclared,
    }


class _Named(NamedTuple):
    """A tournament as it is stored, with the names of its players; equal if nothing happened in between."""

    state: Tournament
    names: tuple[tuple[int, str], ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Named) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[str, bytes, tuple[tuple[int, str], ...]]:
        return self.state.stream, self.state.head, self.names


def describe_table(state: Tournament, accounts: Accounts) -> Fields:
    """The table with ratings, and the verdict of the sequential test, if the tournament has one.

    `state` is the tournament as it is stored. Tables that many look at are kept, so change nothing in them.
    """
    return _describe_stored_table(_Named(state, tuple(name_players(state, accounts).items())))


@lru_cache(TABLES)
def _describe_stored_table(named: _Named) -> Fields:
    return _describe_table(named.state, dict(named.names))


def _describe_table(state: Tournament, players: dict[int, str]) -> Fields:
    table = dump_table(state, players)
    ratings, verdict = rate_entrants(state), judge_entrants(state)
    rows = [
        {**row, "rating_micro": ratings[row["entrant"]].mu, "uncertainty_micro": ratings[row["entrant"]].sigma}
        for row in table["rows"]
    ]
    teams = dump_teams(state) if is_of_teams(state) else None
    return {"tournament": state.stream, **table, "rows": rows, "teams": teams, "sprt": verdict and verdict.dump()}


def describe_rounds(
    state: Tournament, numbers: Sequence[int], tournaments: Tournaments, accounts: Accounts
) -> list[Fields]:
    """These rounds, in this order, with the reasons of each board.

    `state` is the tournament as it is stored. Reasons that many look at are kept, so change nothing in them.
    """
    explained, teams = _describe_stored_reasons(_Named(state, ()), tuple(numbers), accounts), list_teams(state)
    return [
        {
            **_describe_round(state, number, tournaments),
            **explained[number],
            "team_matches": dump_team_matches(state, state.rounds[number - 1], teams) if is_of_teams(state) else [],
        }
        for number in numbers
    ]


@lru_cache(TABLES)
def _describe_stored_reasons(stored: _Named, numbers: tuple[int, ...], accounts: Accounts) -> dict[int, Fields]:
    state, explained = stored.state, explain_rounds(stored.state, set(numbers))
    return {number: _describe_reasons(state, number, explained[number], accounts) for number in numbers}


def _describe_reasons(state: Tournament, number: int, explanation: Explanation, accounts: Accounts) -> Fields:
    round = state.rounds[number - 1]
    return {
        "boards": [
            {"board": board, "entrants": list(entrants), "reasons": [_describe_reason(each, accounts) for each in why]}
            for board, (entrants, why) in enumerate(zip(round.boards, explanation.boards, strict=True), 1)
        ],
        "bye_reasons": [
            {"entrant": entrant, "reasons": [_describe_reason(each, accounts) for each in why]}
            for entrant, why in zip(round.byes, explanation.byes, strict=True)
        ],
    }


def _describe_reason(reason: Reason, accounts: Accounts) -> Fields:
    values = {name: _format_value(value) for name, value in reason.values.items()}
    if values.get("by") is not None:
        values["by_name"] = accounts.name_of(values["by"])
    return {"word": reason.word, "entrants": list(reason.entrants), "values": values}


def _format_value(value: Any) -> Any:
    """Points as decimal text, since they may have a fraction; all else as it is."""
    if isinstance(value, list):
        return list(map(_format_value, value))
    return format_points(value) if isinstance(value, Fraction) else value


def _describe_round(state: Tournament, number: int, tournaments: Tournaments) -> Fields:
    """A round: its games, who sat out, and the costs by which it was paired."""
    round = state.rounds[number - 1]
    return {
        "round": number,
        "stage": find_stage(state, number),
        "byes": list(round.byes),
        "absent": list(round.absent),
        "engine": round.engine,
        "costs": round.costs,
        "is_decided": round.is_decided,
        "ends_at": round.ends_at,
        "games": [_describe_game(state, game, tournaments) for games in round.games for game in games],
    }


def _describe_game(state: Tournament, game: Game, tournaments: Tournaments) -> Fields:
    return {
        "board": game.board,
        "game": game.game,
        "entrants": list(game.entrants),
        "match": None if game.is_ruled else tournaments.match_id(state, game),
        "ranks": None if game.ranks is None else list(game.ranks),
        "reason": game.reason,
        "why": game.why,
        "forfeited": list(game.forfeited),
        "annulled": game.annulled,
        "call": game.call,
        "builds": [{"seat": each.seat, "build": dump_data(each.build)} for each in game.builds],
        "entered": None if game.entered is None else list(game.entered),
        "failed": [each.match for each in game.failed],
        "given_up": game.is_given_up,
        "deadline": find_game_deadline(state.rounds[game.round - 1], game.board),
    }


def describe_deadlines(state: Tournament, tournaments: Tournaments, now_ms: int) -> Fields:
    """The undecided games with their deadlines, and when the next round begins, with the time left now."""
    is_last = len(state.rounds) >= bound_rounds(state)
    begin = None if state.status != "playing" or is_last else find_next_begin(state)
    dues = list_due(state) if state.status == "playing" else ()
    return {
        "tournament": state.stream,
        "version": state.version,
        "next_round_at": begin,
        "next_round_in_ms": None if begin is None else max(0, begin - now_ms),
        "deadlines": [
            {
                "round": due.game.round,
                "board": due.game.board,
                "game": due.game.game,
                "entrants": list(due.game.entrants),
                "match": tournaments.match_id(state, due.game),
                "deadline": due.at,
                "left_ms": max(0, due.at - now_ms),
            }
            for due in dues
        ],
    }


def describe_challenges(state: Tournament, entrant: int, accounts: Accounts, now_ms: int) -> Fields:
    """Whom the entrant of a ladder could challenge now, and why not the others within its reach."""
    require_entrant(state, entrant)
    names = name_all(state, accounts)
    reachable = list_within_reach(state, entrant) if is_ladder(state) else []
    survey = survey_challenges(state) if reachable else None
    return {
        "tournament": state.stream,
        "version": state.version,
        "entrant": entrant,
        "rung": state.rungs.index(entrant) + 1 if entrant in state.rungs else None,
        "opponents": [
            {
                "entrant": each,
                "name": names[each],
                "rung": state.rungs.index(each) + 1,
                "code": objection and objection.code,
                "why": objection and str(objection),
            }
            for each in reachable
            for objection in [find_objection(state, Challenge(entrant, each), now_ms, survey)]
        ],
    }


def describe_annulment(state: Tournament, game: Game, tournaments: Tournaments, accounts: Accounts) -> Fields:
    """The table with and without a decided game, whether the game is annulled or not."""
    players = name_players(state, accounts)
    without = game._replace(annulled=game.annulled or "would be")
    return {
        "tournament": state.stream,
        "version": state.version,
        "game": _describe_game(state, game, tournaments),
        "before": _describe_table(replace_game(state, game._replace(annulled=None)), players),
        "after": _describe_table(replace_game(state, without), players),
    }


def describe_ruling(state: Tournament, changed: Game, accounts: Accounts) -> Fields:
    """The table as it stands, and as it would stand with this version of a game."""
    players = name_players(state, accounts)
    return {
        "tournament": state.stream,
        "version": state.version,
        "before": _describe_table(state, players),
        "after": _describe_table(replace_game(state, changed), players),
    }


def describe_proposal(state: Tournament) -> Fields:
    """How the next round would be paired now; without boards if no round is left."""
    number = len(state.rounds) + 1
    found = pair_next(state) if not state.rounds or state.rounds[-1].is_decided else None
    if found is None:
        nothing: Fields = {"boards": None, "byes": [], "costs": {}, "engine": None}
        return {"tournament": state.stream, "version": state.version, "round": number, **nothing}
    described = {**_describe_pairing(found), "engine": found.engine}
    return {"tournament": state.stream, "version": state.version, "round": number, **described}


def describe_check(stream: str, number: int, check: PairingCheck) -> Fields:
    """A round as it was paired, and as it comes out when paired again (null if it cannot be)."""
    return {
        "tournament": stream,
        "round": number,
        "agrees": check.agrees,
        "engine": check.paired.engine,
        "paired": _describe_pairing(check.paired),
        "again": check.again and _describe_pairing(check.again),
    }


def _describe_pairing(pairing: RoundPaired | Pairing) -> Fields:
    return {"boards": pairing.boards, "byes": pairing.byes, "costs": pairing.costs}


def list_attempts(state: Tournament, query: Mapping[str, Any]) -> tuple[list[Attempt], bool]:
    """A page of the attempts that match an AttemptsQuery, in the order of their places, and whether more follow."""
    after = tuple(map(int, query["after"].split("-"))) if query["after"] else ()
    wanted = (each for each in list_all_attempts(state) if each.place > after and _is_wanted(each, query))
    page = list(islice(wanted, query["limit"] + 1))
    return page[: query["limit"]], len(page) > query["limit"]


def _is_wanted(attempt: Attempt, query: Mapping[str, Any]) -> bool:
    game, entrant = attempt.game, query["entrant"]
    return (
        all(query[name] in (None, getattr(game, name)) for name in ("round", "board", "game"))
        and (entrant is None or entrant in game.entrants)
        and (not query["faults"] or any(each.find_owner() for each in attempt.incidents))
    )


def describe_attempt(state: Tournament, attempt: Attempt, seen_by: int | None, tournaments: Tournaments) -> Fields:
    """An attempt at a game; its faults are attributed from the point of view of entrant `seen_by` (None: of nobody)."""
    game = attempt.game
    is_decided = attempt.is_decisive
    return {
        "round": game.round,
        "board": game.board,
        "game": game.game,
        "attempt": attempt.number,
        "entrants": list(game.entrants),
        "match": (attempt.match or tournaments.match_id(state, game)) if attempt.has_match else None,
        "status": attempt.status,
        "made_at": attempt.made_at,
        "closed_at": attempt.closed_at,
        "ranks": list(game.ranks) if is_decided and game.ranks is not None else None,
        "reason": game.reason if is_decided else None,
        "scored": attempt.is_scored,
        "annulled": game.annulled if is_decided else None,
        "incidents": [_describe_incident(each, seen_by) for each in attempt.incidents],
    }


def _describe_incident(incident: Incident, seen_by: int | None) -> Fields:
    return {
        "cause": incident.cause,
        "owner": incident.find_owner(seen_by),
        "entrant": incident.entrant,
        "why": incident.why,
    }


def export_games(state: Tournament, matches: Handler[Match], accounts: Accounts) -> Iterator[bytes]:
    """All decided games with their matches as text records, as NDJSON in the order of rounds and boards.

    A game that the organiser decided has no match, and its record is null.

    The last line holds the count and the SHA-256 of all bytes before it.
    """
    games = [game for game in state.games() if game.ranks is not None]
    return _close_lines(orjson.dumps(_export_game(game, matches, accounts)) + b"\n" for game in games)


def _export_game(game: Game, matches: Handler[Match], accounts: Accounts) -> Fields:
    return {
        "round": game.round,
        "board": game.board,
        "game": game.game,
        "entrants": game.entrants,
        "match": game.match,
        "ranks": game.ranks,
        "reason": game.reason,
        "why": game.why,
        "annulled": game.annulled,
        **_export_match(game.match, matches, accounts),
    }


def _export_match(id: str | None, matches: Handler[Match], accounts: Accounts) -> Fields:
    if id is None:
        return {"version": None, "hash": None, "record": None}
    entries = matches.read_events(id, 0)
    match = fold(Match(id), entries)
    names = {player: accounts.name_of(player) for player in match.life.players}
    return {
        "version": match.version,
        "hash": match.head.hex(),
        "record": format_record(record_of(match, entries, names)),
    }


def _close_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines, then a line with their count and the SHA-256 of all bytes before it."""
    digest, count = sha256(), 0
    for line in lines:
        digest.update(line)
        count += 1
        yield line
    yield orjson.dumps({"count": count, "sha256": digest.hexdigest()}) + b"\n"
