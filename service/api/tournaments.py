"""Tournaments over HTTP: announced, entered, started, followed; they run by themselves."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import islice
from typing import Any

import orjson
from flask import Blueprint, Response

from domain.commands import Actor, Command
from domain.errors import WrongTime
from domain.events import Account, BuiltIn
from domain.match import Match, fold
from domain.record import format_record, record_of
from domain.tournament.attempts import Attempt, Incident, count_all_faults, list_all_attempts
from domain.tournament.commands import (
    AbortTournament,
    AnnounceAbsence,
    AnnulGame,
    CreateTournament,
    RegisterEntrant,
    StartTournament,
    WithdrawEntrant,
)
from domain.tournament.sprt import judge_entrants
from domain.tournament.state import Game, Tournament, find_game, replace_game
from domain.tournament.tables import dump_table, list_crosstable, list_table, render_csv, render_text
from service import queries
from service.accounts import Principal
from service.api.http import (
    JSON,
    NDJSON,
    TEXT,
    accepted,
    answer,
    expected_version,
    parse_body,
    parse_query,
    parts,
    path_with,
    principal,
    remembered,
)
from service.api.lists import answer_page
from service.api.live import SSE, last_event_id, stream_events, wait_for_news
from service.api.matches.reading import tagged, varied
from service.api.openapi import operation
from service.api.players import find_player
from service.bots import seat_all
from service.clock import now_ms
from service.composition import Parts
from service.config import SERVER
from service.errors import NotFound
from service.handlers import Answer
from service.ids import is_stream_id, stream_id
from service.schemas import answers, bodies, parameters
from service.tournament_ratings import rate_entrants
from service.tournaments import draw_seed
from service.trf import export_trf

blueprint = Blueprint("tournaments", __name__, url_prefix="/v1/tournaments")

CSV = "text/csv"
PROBLEMS = (403, 404, 409, 412)
Fields = dict[str, Any]


@blueprint.post("")
@operation(
    "tournaments",
    answers.TournamentReceipt,
    status=201,
    body=bodies.NewTournament,
    problems=(403,),
    command=True,
    located=True,
)
def create_tournament() -> Response:
    """Announce a tournament. It takes entrants until it is started, and then runs by itself to its final table."""
    who = principal()
    who.require("organise")
    body = parse_body(bodies.NewTournament)
    actor = Actor("organiser", who.account)
    asked = remembered(actor)
    stream = stream_id("tournament", asked)
    seed = draw_seed(stream) if body["seed"] is None else body["seed"]
    openings = tuple(map(tuple, body.pop("openings")))
    command = CreateTournament(
        **{**body, "seed": seed}, openings=openings, actor=actor, at=now_ms(), id=asked.id.hex(), server=SERVER
    )
    created = _give_receipt(parts().tournaments.execute(stream, command, asked, new=True), 201)
    created.headers["Location"] = f"/v1/tournaments/{stream}"
    return created


@blueprint.get("")
@operation("tournaments", answers.TournamentPage, query=parameters.TournamentsQuery, problems=(400,), open=True)
def list_tournaments() -> Response:
    """List tournaments, those announced last first."""
    query = parse_query(parameters.TournamentsQuery)
    return answer_page("tournaments", lambda: parts().lists.tournaments.read(**query))


@blueprint.get("/<tournament>")
@operation("tournaments", answers.TournamentOut, problems=(404,), open=True, tagged=True)
def get_tournament(tournament: str) -> Response:
    """Give a tournament as it stands now: its terms, its entrants, its rounds."""
    state = read_tournament(tournament)
    return tagged(answer(describe_tournament(state)), state.version)


@blueprint.post("/<tournament>/entrants")
@operation(
    "tournaments", answers.TournamentReceipt, status=201, body=bodies.NewEntrant, problems=PROBLEMS, command=True
)
def register_entrant(tournament: str) -> Response:
    """Enter a tournament, which is consent to be seated in its matches; its organiser enters bots of the server.

    A Swiss tournament takes entrants while it is played, too: they are paired from the next round on.
    """

    def make(base: Fields, body: Fields, who: Principal) -> RegisterEntrant:
        [occupant] = seat_all([body["bot"] or Account(who.account)])
        assert occupant is not None
        return RegisterEntrant(**base, occupant=occupant, label=body["label"])

    return _execute(tournament, bodies.NewEntrant, make, 201)


@blueprint.post("/<tournament>/entrants/<int:entrant>/withdrawal")
@operation("tournaments", answers.TournamentReceipt, body=bodies.Nothing, problems=PROBLEMS, command=True)
def withdraw_entrant(tournament: str, entrant: int) -> Response:
    """Take an entrant, your own or as the organiser, out of the tournament: it loses what it is playing."""
    return _execute(tournament, bodies.Nothing, lambda base, *_: WithdrawEntrant(**base, entrant=entrant))


@blueprint.post("/<tournament>/entrants/<int:entrant>/absences")
@operation("tournaments", answers.TournamentReceipt, body=bodies.NewAbsence, problems=PROBLEMS, command=True)
def announce_absence(tournament: str, entrant: int) -> Response:
    """Have an entrant, your own or as the organiser, sit out a round that is not paired yet."""
    return _execute(
        tournament, bodies.NewAbsence, lambda base, body, _: AnnounceAbsence(**base, entrant=entrant, **body)
    )


@blueprint.post("/<tournament>/start")
@operation("tournaments", answers.TournamentReceipt, body=bodies.Nothing, problems=PROBLEMS, command=True)
def start_tournament(tournament: str) -> Response:
    """Start a tournament, as its organiser: from here on it runs by itself."""
    return _execute(tournament, bodies.Nothing, lambda base, *_: StartTournament(**base))


@blueprint.post("/<tournament>/abort")
@operation("tournaments", answers.TournamentReceipt, body=bodies.Abort, problems=PROBLEMS, command=True)
def abort_tournament(tournament: str) -> Response:
    """Call a tournament off, as its organiser. Matches under way go on, and count for nothing here."""
    return _execute(tournament, bodies.Abort, lambda base, body, _: AbortTournament(**base, **body))


@blueprint.post("/<tournament>/annulments")
@operation("tournaments", answers.TournamentReceipt, body=bodies.NewGameAnnulment, problems=PROBLEMS, command=True)
def annul_game(tournament: str) -> Response:
    """Have a decided game count for nothing, as the organiser. That its entrants met stands."""
    return _execute(tournament, bodies.NewGameAnnulment, lambda base, body, _: AnnulGame(**base, **body))


@blueprint.get("/<tournament>/standings")
@operation(
    "tournaments",
    media={JSON: answers.Standings, TEXT: None, CSV: None},
    query=parameters.StandingsQuery,
    problems=(404, 406),
    open=True,
    tagged=True,
)
def get_standings(tournament: str) -> Response:
    """Give the table as it stands: as JSON with the crosstable in it, as text for a terminal, or as CSV.

    As text and CSV the crosstable is given instead with `crosstable=true`.
    """
    media = accepted(JSON, TEXT, CSV)
    crosstable = parse_query(parameters.StandingsQuery)["crosstable"]
    state = read_tournament(tournament)
    if media == JSON:
        given = answer(describe_table(state))
    else:
        cells = (list_crosstable if crosstable else list_table)(state, name_players(state))
        text = (render_text if media == TEXT else render_csv)(cells)
        given = Response(text, content_type=f"{media}; charset=utf-8")
    return varied(tagged(given, state.version))


@blueprint.get("/<tournament>/trf")
@operation("tournaments", media={TEXT: None}, problems=(404, 422), open=True, tagged=True)
def get_trf(tournament: str) -> Response:
    """Report a Swiss of two with one game a board as FIDE's TRF16."""
    state = read_tournament(tournament)
    return tagged(
        Response(export_trf(state, name_players(state)), content_type=f"{TEXT}; charset=utf-8"), state.version
    )


@blueprint.get("/<tournament>/annulments")
@operation(
    "tournaments", answers.AnnulmentReport, query=parameters.GameQuery, problems=(404, 409), open=True, tagged=True
)
def report_annulment(tournament: str) -> Response:
    """Tell what the annulment of a decided game changed, or would change: the table with the game and without it."""
    place = parse_query(parameters.GameQuery)
    state = read_tournament(tournament)
    game = find_game(state, (place["round"], place["board"], place["game"]))
    if game is None:
        raise NotFound("there is no such game", "tournament/no-game")
    if game.ranks is None:
        raise WrongTime("tournament/not-decided", "the game is not decided yet")
    report = {
        "tournament": state.stream,
        "version": state.version,
        "game": _describe_game(state, game),
        "before": describe_table(replace_game(state, game._replace(annulled=None))),
        "after": describe_table(replace_game(state, game._replace(annulled=game.annulled or "would be"))),
    }
    return tagged(answer(report), state.version)


@blueprint.get("/<tournament>/rounds")
@operation("tournaments", answers.RoundsOut, problems=(404,), open=True, tagged=True)
def list_rounds(tournament: str) -> Response:
    """Give all rounds: who met whom on which seats, in which matches, how they ended, and why they were paired so."""
    state = read_tournament(tournament)
    rounds = [describe_round(state, number) for number in range(1, len(state.rounds) + 1)]
    return tagged(answer({"tournament": state.stream, "version": state.version, "rounds": rounds}), state.version)


@blueprint.get("/<tournament>/attempts")
@operation("tournaments", answers.AttemptsOut, query=parameters.AttemptsQuery, problems=(404,), open=True, tagged=True)
def list_attempts(tournament: str) -> Response:
    """List the attempts at all games: the matches made for them, how each ended, and whose fault went with it."""
    query = parse_query(parameters.AttemptsQuery)
    state = read_tournament(tournament)
    after = tuple(map(int, query["after"].split("-"))) if query["after"] else ()
    wanted = (each for each in list_all_attempts(state) if each.place > after and _is_wanted(each, query))
    page = list(islice(wanted, query["limit"] + 1))
    more, page = len(page) > query["limit"], page[: query["limit"]]
    told = {
        "tournament": state.stream,
        "version": state.version,
        "attempts": [_describe_attempt(state, attempt, query["entrant"]) for attempt in page],
        "next": path_with(after="-".join(map(str, page[-1].place))) if more else None,
    }
    return tagged(answer(told), state.version)


def _is_wanted(attempt: Attempt, query: Fields) -> bool:
    game, entrant = attempt.game, query["entrant"]
    return (
        all(query[name] in (None, getattr(game, name)) for name in ("round", "board", "game"))
        and (entrant is None or entrant in game.entrants)
        and (not query["faults"] or any(each.find_owner() for each in attempt.incidents))
    )


def _describe_attempt(state: Tournament, attempt: Attempt, seen_by: int | None) -> Fields:
    game = attempt.game
    is_decided = attempt.status == "decided"
    return {
        "round": game.round,
        "board": game.board,
        "game": game.game,
        "attempt": attempt.number,
        "entrants": list(game.entrants),
        "match": attempt.match or parts().tournaments.match_id(state, game),
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


@blueprint.get("/<tournament>/rounds/<int:round>/check")
@operation("tournaments", answers.RoundCheck, problems=(404,), open=True)
def check_round(tournament: str, round: int) -> Response:
    """Work the pairing of a round out again from the events before it, and say whether it comes out the same."""
    read_tournament(tournament)
    check = parts().tournaments.check_round(tournament, round)
    again = check.again and {"boards": check.again.boards, "byes": check.again.byes, "costs": check.again.costs}
    return answer(
        {
            "tournament": tournament,
            "round": round,
            "agrees": check.agrees,
            "engine": check.paired.engine,
            "paired": {"boards": check.paired.boards, "byes": check.paired.byes, "costs": check.paired.costs},
            "again": again,
        }
    )


@blueprint.get("/<tournament>/matches")
@operation("tournaments", media={NDJSON: None}, problems=(404,), open=True)
def export_matches(tournament: str) -> Response:
    """Give all decided games with their matches as text records, as NDJSON: a line a game, in the order of boards.

    It ends with a line of count and SHA-256 of all bytes before it. The bundle of a match has its events.
    """
    state, composed = read_tournament(tournament), parts()
    games = [game for game in state.games() if game.ranks is not None]
    lines = (orjson.dumps(_export_game(composed, game)) + b"\n" for game in games)
    return Response(_close_lines(lines), content_type=NDJSON)


def _export_game(composed: Parts, game: Game) -> Fields:
    assert game.match is not None
    entries = composed.matches.read_events(game.match, 0)
    match = fold(Match(game.match), entries)
    names = {player: composed.accounts.name_of(player) for player in match.life.players}
    return {
        "round": game.round,
        "board": game.board,
        "game": game.game,
        "entrants": game.entrants,
        "match": game.match,
        "ranks": game.ranks,
        "reason": game.reason,
        "annulled": game.annulled,
        "version": match.version,
        "hash": match.head.hex(),
        "record": format_record(record_of(match, entries, names)),
    }


def _close_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines, then one of their count and the SHA-256 of all bytes before it."""
    digest, count = sha256(), 0
    for line in lines:
        digest.update(line)
        count += 1
        yield line
    yield orjson.dumps({"count": count, "sha256": digest.hexdigest()}) + b"\n"


@blueprint.get("/<tournament>/events")
@operation(
    "tournaments",
    media={JSON: answers.TournamentEvents, NDJSON: None, SSE: None},
    query=parameters.EventsQuery,
    problems=(400, 404, 406),
    open=True,
    followed=True,
)
def list_events(tournament: str) -> Response:
    """List a tournament's events with their hashes, as those of a match: pages, all at once, or live.

    A live stream ends with an event `end` once the tournament is over; then 204 says so.
    """
    media = accepted(JSON, NDJSON, SSE)
    query = parse_query(parameters.EventsQuery)
    state, source = read_tournament(tournament), parts().tournament_events
    is_over = state.status in ("ended", "aborted")
    if media == SSE:
        after = last_event_id(query["after"])
        if is_over and after >= state.version:
            return varied(Response(status=204))
        return varied(stream_events(source, tournament, after, lambda _: True, state.version if is_over else None))
    if media == NDJSON:
        pages = queries.read_pages(parts().tournaments.handler, tournament, query["after"], state.version)
        return varied(Response(queries.export_lines(pages), content_type=NDJSON))
    events = parts().tournaments.handler.read_events(tournament, query["after"], query["limit"])
    if query["after"] == state.version and not is_over:
        wait_for_news(source, tournament, query["after"], query["wait"])
    more = bool(events) and events[-1].version < state.version
    page = {
        "tournament": tournament,
        "version": state.version,
        "events": queries.dump_events(events),
        "next": path_with(after=events[-1].version) if more else None,
    }
    return varied(answer(page))


def name_players(state: Tournament) -> dict[int, str]:
    """The names of entrants that are players and have no label: they stand in no stream of a tournament."""
    return {
        each.number: find_player(each.occupant.player).name
        for each in state.entrants
        if isinstance(each.occupant, Account) and each.label is None
    }


def read_tournament(tournament: str) -> Tournament:
    """The tournament of this id; NotFound where there is none."""
    state = parts().tournaments.read(tournament) if is_stream_id("tournament", tournament) else None
    if state is None or state.created is None:
        raise NotFound(f"there is no tournament {tournament}", "tournament/unknown")
    return state


def _execute(tournament: str, schema: Any, make: Any, status: int = 200) -> Response:
    """The receipt of the command that `make` builds from who asks and when, from the body, and from who it is."""
    who = principal()
    state = read_tournament(tournament)
    body = parse_body(schema)
    organises = "admin" in who.scopes or (who.account == state.organiser and "organise" in who.scopes)
    if not organises:
        who.require("play")
    actor = Actor("organiser" if organises else "player", who.account)
    asked = remembered(actor)
    command: Command = make({"actor": actor, "at": now_ms(), "id": asked.id.hex()}, body, who)
    return _give_receipt(parts().tournaments.execute(tournament, command, asked, expected_version()), status)


def _give_receipt(done: Answer[Tournament], status: int = 200) -> Response:
    last = done.events[-1]
    receipt = answer(
        {
            "tournament": done.state.stream,
            "version": last.version,
            "hash": last.h.hex(),
            "status": done.state.status,
            "events": queries.dump_events(done.events),
        },
        status,
    )
    receipt.headers["ETag"] = f'"{last.version}"'
    if done.replayed:
        receipt.headers["Idempotency-Replayed"] = "true"
    return receipt


def describe_tournament(state: Tournament) -> Fields:
    """A tournament as it stands."""
    terms = state.terms
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
        "seed": terms.seed,
        "entrants": [_describe_entrant(state, number) for number in range(1, len(state.entrants) + 1)],
        "rounds": len(state.rounds),
        "games": sum(1 for _ in state.games()),
        "decided": sum(game.ranks is not None for game in state.games()),
        "given_up": sum(game.is_given_up for game in state.games()),
        "faults": count_all_faults(state),
    }


def describe_table(state: Tournament) -> Fields:
    """The table with ratings, and the verdict of the sequential test if one runs."""
    table, ratings, verdict = dump_table(state), rate_entrants(state), judge_entrants(state)
    rows = [
        {**row, "rating_micro": ratings[row["entrant"]].mu, "uncertainty_micro": ratings[row["entrant"]].sigma}
        for row in table["rows"]
    ]
    return {"tournament": state.stream, **table, "rows": rows, "sprt": verdict and verdict.dump()}


def _describe_entrant(state: Tournament, number: int) -> Fields:
    entrant = state.entrants[number - 1]
    occupant = entrant.occupant
    if isinstance(occupant, BuiltIn):
        who: Fields = {"bot": occupant.bot, "bot_version": occupant.version, "playouts": occupant.playouts}
    else:
        assert isinstance(occupant, Account)
        who = {"player": occupant.player, "player_name": find_player(occupant.player).name}
    return {
        "entrant": number,
        **who,
        "label": entrant.label,
        "is_in": entrant.is_in,
        "absences": sorted(entrant.absences),
        "joined": entrant.joined,
    }


def describe_round(state: Tournament, number: int) -> Fields:
    """A round: its games, who sat out, and why it was paired so."""
    round = state.rounds[number - 1]
    return {
        "round": number,
        "byes": list(round.byes),
        "absent": list(round.absent),
        "engine": round.engine,
        "costs": round.costs,
        "is_decided": round.is_decided,
        "games": [_describe_game(state, game) for games in round.games for game in games],
    }


def _describe_game(state: Tournament, game: Game) -> Fields:
    return {
        "board": game.board,
        "game": game.game,
        "entrants": list(game.entrants),
        "match": parts().tournaments.match_id(state, game),
        "ranks": None if game.ranks is None else list(game.ranks),
        "reason": game.reason,
        "annulled": game.annulled,
        "failed": [each.match for each in game.failed],
    }
