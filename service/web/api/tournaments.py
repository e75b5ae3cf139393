"""Tournaments: announce, enter, start, run and read them."""

from typing import Any

import orjson
from flask import Blueprint, Response, request

from plyscribe.domain.commands import Actor, Command
from plyscribe.domain.errors import WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import Account, Guest, Occupant
from plyscribe.domain.names import fold_name, require_label
from plyscribe.domain.tournament.commands import (
    AbortTournament,
    AdjudicateGame,
    AnnounceAbsence,
    AnnulGame,
    CreateTournament,
    EndInvitation,
    ForfeitGame,
    InviteEntrant,
    RegisterEntrant,
    RetryGame,
    StartTournament,
    WithdrawEntrant,
)
from plyscribe.domain.tournament.crosstable import HOW_TO_READ, list_crosstable
from plyscribe.domain.tournament.entrant_builds import list_builds
from plyscribe.domain.tournament.group_tables import has_groups
from plyscribe.domain.tournament.state import Tournament, find_game
from plyscribe.domain.tournament.tables import list_table, render_csv, render_standings, render_text
from plyscribe.domain.tournament.team_standings import list_team_table
from plyscribe.domain.tournament.teams import is_of_teams
from plyscribe.service.access.accounts import Principal
from plyscribe.service.clock import now_ms
from plyscribe.service.config import SERVER
from plyscribe.service.errors import NotFound
from plyscribe.service.matches.seating import seat_all
from plyscribe.service.reports.subjects import game_of, pairing_of
from plyscribe.service.streams.ids import is_stream_id, stream_id
from plyscribe.service.tournaments import queries as tournament_queries
from plyscribe.service.tournaments.authority import find_role, may_read_tournament
from plyscribe.service.tournaments.codes import is_entry_code
from plyscribe.service.tournaments.pairing_check import require_paired
from plyscribe.service.tournaments.runner import draw_seed
from plyscribe.service.tournaments.trf import export_trf
from plyscribe.service.web.api.awaiting import answer_report
from plyscribe.service.web.api.events import give_events
from plyscribe.service.web.api.exports import answer_export
from plyscribe.service.web.api.http import (
    JSON,
    NDJSON,
    TEXT,
    TOKEN_HEADERS,
    accepted,
    answer,
    answer_command,
    expected_version,
    parse_body,
    parse_query,
    parts,
    path_with,
    principal,
    principal_if_any,
    remembered,
)
from plyscribe.service.web.api.lists import answer_page
from plyscribe.service.web.api.live import SSE, last_event_id, require_known, stream_events, wait_for_news
from plyscribe.service.web.api.matches.reading import varied
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.api.players import find_player
from plyscribe.service.web.charging import charged, is_limited
from plyscribe.service.web.packing import tagged
from plyscribe.service.web.schemas import answers, bodies, parameters

blueprint = Blueprint("tournaments", __name__, url_prefix="/v1/tournaments")

CSV = "text/csv"
PROBLEMS = (403, 404, 409, 412)
ALIKE = 10
"""How many accounts of one name are looked up at most."""

Fields = dict[str, Any]


@blueprint.post("")
@charged("tournaments")
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
    """Announce a tournament.

    Needs the scope `organise`. The tournament takes entrants until you start it, and then runs by itself to its final
    table.
    """
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
    done = parts().tournaments.execute(stream, command, asked, new=True)
    return answer_command(done, tournament_queries.describe_receipt(done), 201, f"/v1/tournaments/{stream}")


@blueprint.get("")
@operation("tournaments", answers.TournamentPage, query=parameters.TournamentsQuery, problems=(400, 401), open=True)
def list_tournaments() -> Response:
    """List tournaments, newest first.

    `invited=me` and `mine` need a token.
    """
    query = parse_query(parameters.TournamentsQuery)
    query["invited"] = query["invited"] is not None
    of_account = query["invited"] or query["mine"] is not None
    account = principal().account if of_account else None
    listed = answer_page("tournaments", lambda: parts().lists.read_tournaments(**query, account=account))
    if of_account:
        listed.vary.update(TOKEN_HEADERS)
    return listed


@blueprint.get("/<tournament>")
@operation("tournaments", answers.TournamentOut, problems=(404,), open=True, tagged=True)
def get_tournament(tournament: str) -> Response:
    """Get a tournament as it stands now."""
    state = read_tournament(tournament)
    return tagged(answer(tournament_queries.describe_tournament(state, parts().accounts)), state.version)


@blueprint.post("/<tournament>/entrants")
@operation(
    "tournaments", answers.TournamentReceipt, status=201, body=bodies.NewEntrant, problems=PROBLEMS, command=True
)
def register_entrant(tournament: str) -> Response:
    """Enter a tournament.

    By entering, you agree to be seated in its matches. If you are invited, you accept the invitation by entering; its
    label is yours unless you give another one. With the `code` of an entry link you can enter a tournament that is not
    open. Organisers can also enter bots of the server, guests, and players who asked to be let in, and can give a
    rating, a seed or, in a format of teams, a team. A Swiss, a pyramid or a ladder takes entrants even after its start;
    they are paired from the next round on.
    """

    def make(base: Fields, body: Fields, who: Principal) -> RegisterEntrant:
        if sum(body[name] is not None for name in ("bot", "guest", "player")) > 1:
            raise WrongValue("entrant/which", "one entrant at a time: give at most one of bot, guest and player")
        if body["guest"] is not None:
            occupant: Occupant = Guest(body["guest"])
        else:
            [found] = seat_all([body["bot"] or Account(body["player"] or who.account)], parts().layout())
            assert found is not None
            occupant = found
        if is_limited():
            parts().quotas.require_playouts(who, [occupant])
        if isinstance(occupant, Account):
            require_label(body["label"])
        admitted = is_entry_code(parts().config.server_key, read_tournament(tournament), body["code"])
        given = {name: body[name] for name in ("label", "rating", "seed", "team", "place")}
        return RegisterEntrant(**base, occupant=occupant, admitted=admitted, **given)

    return execute(tournament, bodies.NewEntrant, make, 201)


@blueprint.post("/<tournament>/invitations")
@operation(
    "tournaments", answers.TournamentReceipt, status=201, body=bodies.NewInvitee, problems=PROBLEMS, command=True
)
def invite_entrant(tournament: str) -> Response:
    """Invite an account to a tournament.

    Only organisers can do this. The account gets an inbox entry. It is an entrant only once it
    accepts, by entering.
    """

    def make(base: Fields, body: Fields, _: Principal) -> InviteEntrant:
        require_label(body["label"])
        return InviteEntrant(**base, player=find_account(body.get("player"), body.get("name")), label=body["label"])

    return execute(tournament, bodies.NewInvitee, make, 201)


def find_account(player: str | None, name: str | None) -> str:
    """The account with this id or, without an id, with this name; WrongValue unless there is exactly one."""
    if player is not None:
        try:
            return find_player(player).stream
        except NotFound as error:
            raise WrongValue("player/unknown", str(error)) from None
    parts().lists.lag()
    rows = map(orjson.loads, parts().lists.players.read(name or "", None, ALIKE, None).rows)
    found = [row["player"] for row in rows if fold_name(row["name"]) == fold_name(name or "")]
    if not found:
        raise WrongValue("player/unknown", f"no account is called {name!r}")
    if len(found) > 1:
        raise WrongValue("player/ambiguous", f"several accounts are called {name!r}: give an id", players=found)
    return str(found[0])


@blueprint.delete("/<tournament>/invitations/<player>")
@operation("tournaments", answers.TournamentReceipt, body=bodies.Nothing, problems=PROBLEMS, command=True)
def end_invitation(tournament: str, player: str) -> Response:
    """Decline or withdraw an invitation.

    You can decline yours; the organiser can withdraw any.
    """
    return execute(tournament, bodies.Nothing, lambda base, *_: EndInvitation(**base, player=player))


@blueprint.post("/<tournament>/entrants/<int:entrant>/withdrawal")
@operation("tournaments", answers.TournamentReceipt, body=bodies.EntrantWithdrawal, problems=PROBLEMS, command=True)
def withdraw_entrant(tournament: str, entrant: int) -> Response:
    """Withdraw an entrant from a tournament.

    You can withdraw yourself; the organiser can withdraw or disqualify any entrant, but not an opponent while they play
    each other. The entrant loses the games that it is playing.
    """
    return execute(
        tournament, bodies.EntrantWithdrawal, lambda base, body, _: WithdrawEntrant(**base, entrant=entrant, **body)
    )


@blueprint.post("/<tournament>/entrants/<int:entrant>/absences")
@operation("tournaments", answers.TournamentReceipt, body=bodies.NewAbsence, problems=PROBLEMS, command=True)
def announce_absence(tournament: str, entrant: int) -> Response:
    """Announce that an entrant sits out a round, or ask for a bye.

    The round must be one that can come, and not be paired yet. You can do this for yourself; organisers can do it for
    any entrant. A bye needs terms with `asked_byes`, and counts `asked_bye` points instead of `absence`.
    """
    return execute(
        tournament, bodies.NewAbsence, lambda base, body, _: AnnounceAbsence(**base, entrant=entrant, **body)
    )


@blueprint.post("/<tournament>/start")
@operation("tournaments", answers.TournamentReceipt, body=bodies.Nothing, problems=PROBLEMS, command=True)
def start_tournament(tournament: str) -> Response:
    """Start a tournament.

    Only organisers can do this. From then on the tournament runs by itself, except that each round waits until it is
    called if `rounds_begin` is `call`.
    """
    return execute(tournament, bodies.Nothing, lambda base, *_: StartTournament(**base))


@blueprint.post("/<tournament>/abort")
@operation("tournaments", answers.TournamentReceipt, body=bodies.Abort, problems=PROBLEMS, command=True)
def abort_tournament(tournament: str) -> Response:
    """Call off a tournament.

    Only the organiser or an administrator can do this. Running matches continue, but no longer count here.
    """
    return execute(tournament, bodies.Abort, lambda base, body, _: AbortTournament(**base, **body))


@blueprint.post("/<tournament>/annulments")
@operation("tournaments", answers.TournamentReceipt, body=bodies.NewGameAnnulment, problems=PROBLEMS, command=True)
def annul_game(tournament: str) -> Response:
    """Annul a decided game.

    Only organisers can do this, and nobody who sits on the board. The game no longer counts, but
    later pairings still take into account that its entrants met.
    """
    return execute(tournament, bodies.NewGameAnnulment, lambda base, body, _: AnnulGame(**base, **body))


@blueprint.post("/<tournament>/retries")
@operation("tournaments", answers.TournamentReceipt, body=bodies.NewRetry, problems=PROBLEMS, command=True)
def retry_game(tournament: str) -> Response:
    """Try a game again that was given up.

    Only organisers can do this, and nobody who sits on the board. The game gets five more
    attempts.
    """
    return execute(tournament, bodies.NewRetry, lambda base, body, _: RetryGame(**base, **body))


@blueprint.post("/<tournament>/adjudications")
@operation("tournaments", answers.TournamentReceipt, body=bodies.NewAdjudication, problems=PROBLEMS, command=True)
def adjudicate_game(tournament: str) -> Response:
    """Adjudicate an undecided game.

    Only organisers can do this, and nobody who sits on the board. The match of the game is
    aborted if it is being played. Refused if the match has ended, because its result counts.
    """

    def make(base: Fields, body: Fields, _: Principal) -> AdjudicateGame:
        return AdjudicateGame(**base, **{**body, "ranks": tuple(body["ranks"])})

    return execute(tournament, bodies.NewAdjudication, make)


@blueprint.post("/<tournament>/forfeits")
@operation("tournaments", answers.TournamentReceipt, body=bodies.NewForfeit, problems=PROBLEMS, command=True)
def forfeit_game(tournament: str) -> Response:
    """Let one or more entrants lose an undecided game.

    Only organisers can do this, and nobody who sits on the board. The other entrants of the
    board share the first place. The match of the game is aborted if it is being played. Refused if the match has ended,
    because its result counts.
    """

    def make(base: Fields, body: Fields, _: Principal) -> ForfeitGame:
        return ForfeitGame(**base, **{**body, "entrants": tuple(body["entrants"])})

    return execute(tournament, bodies.NewForfeit, make)


@blueprint.get("/<tournament>/standings")
@operation(
    "tournaments",
    media={JSON: answers.Standings, TEXT: None, CSV: None},
    query=parameters.StandingsQuery,
    problems=(404,),
    open=True,
    tagged=True,
)
def get_standings(tournament: str) -> Response:
    """Get the table as it stands now.

    The table comes as JSON, which includes the crosstable, as text for a terminal, or as CSV. For text and CSV,
    `crosstable=true` gets the crosstable instead: in the order of the table, with each game from the side of the line's
    entrant. If teams play, the text has their table first and then that of all players, and `teams=true` gets the table
    of teams alone. Below the table, text has the builds of
    programs that accounts named.
    """
    media = accepted(JSON, TEXT, CSV)
    query = parse_query(parameters.StandingsQuery)
    state = read_tournament(tournament)
    if media == JSON:
        given = answer(tournament_queries.describe_table(state, parts().accounts))
    else:
        names = tournament_queries.name_players(state, parts().accounts)
        if media == TEXT and has_groups(state) and not query["crosstable"] and not query["teams"]:
            text = render_standings(state, names)
        else:
            tables = _choose_tables(state, query, names, media)
            text = "\n".join(map(render_text if media == TEXT else render_csv, tables))
        text = HOW_TO_READ + text if query["crosstable"] and media == TEXT else text
        builds = list_builds(state, tournament_queries.name_all(state, parts().accounts))
        if media == TEXT and builds and not (query["crosstable"] or query["teams"]):
            text += f"\n{render_text(builds)}"
        given = Response(text, content_type=f"{media}; charset=utf-8")
    return varied(tagged(given, state.version))


def _choose_tables(state: Tournament, query: Fields, names: dict[int, str], media: str) -> list[list[list[str]]]:
    """The tables to show, each as rows of cells. CSV has only one."""
    if query["crosstable"]:
        return [list_crosstable(state, names)]
    if not is_of_teams(state):
        if query["teams"]:
            raise WrongValue("tournament/no-teams", "no teams play in this tournament")
        return [list_table(state, names)]
    of_teams = [list_team_table(state)] if query["teams"] or media == TEXT else []
    return of_teams if query["teams"] else [*of_teams, list_table(state, names)]


@blueprint.get("/<tournament>/trf")
@charged("heavy")
@operation("tournaments", media={TEXT: None}, problems=(404, 422), open=True, tagged=True)
def get_trf(tournament: str) -> Response:
    """Get the FIDE report (TRF16) of a tournament.

    Only for a Swiss of two seats with one game on each board.
    """
    state = read_tournament(tournament)
    text = export_trf(state, tournament_queries.name_players(state, parts().accounts))
    return tagged(Response(text, content_type=f"{TEXT}; charset=utf-8"), state.version)


@blueprint.get("/<tournament>/annulments")
@charged("heavy")
@operation(
    "tournaments", answers.AnnulmentReport, query=parameters.GameQuery, problems=(404, 409), open=True, tagged=True
)
def report_annulment(tournament: str) -> Response:
    """Show what the annulment of a decided game changed, or would change.

    In a large tournament this is a report, for which the request waits: 503 `report/busy` if that takes too long.
    """
    place = parse_query(parameters.GameQuery)
    state = read_tournament(tournament)
    game = find_game(state, (place["round"], place["board"], place["game"]))
    if game is None:
        raise NotFound("the tournament has no such game", "tournament/no-game")
    if game.ranks is None:
        raise WrongTime("tournament/not-decided", "the game is not decided yet")
    subject = game_of(tournament, state.version, (game.round, game.board, game.game))
    return answer_report(subject, lambda report: tagged(answer(report), report["version"]), events=state.version)


@blueprint.get("/<tournament>/rounds")
@operation("tournaments", answers.RoundsOut, problems=(404,), open=True, tagged=True)
def list_rounds(tournament: str) -> Response:
    """List all rounds with their games, their pairings, and the reasons why each board was paired."""
    state = read_tournament(tournament)
    numbers = [round.number for round in state.rounds]
    rounds = tournament_queries.describe_rounds(state, numbers, parts().tournaments, parts().accounts)
    return tagged(answer({"tournament": state.stream, "version": state.version, "rounds": rounds}), state.version)


@blueprint.get("/<tournament>/attempts")
@operation("tournaments", answers.AttemptsOut, query=parameters.AttemptsQuery, problems=(404,), open=True, tagged=True)
def list_attempts(tournament: str) -> Response:
    """List the matches that were created for the games, and their faults.

    A game is played again if the platform fails its match, so it can have several attempts.
    """
    query = parse_query(parameters.AttemptsQuery)
    state = read_tournament(tournament)
    page, more = tournament_queries.list_attempts(state, query)
    described = {
        "tournament": state.stream,
        "version": state.version,
        "attempts": [
            tournament_queries.describe_attempt(state, attempt, query["entrant"], parts().tournaments)
            for attempt in page
        ],
        "next": path_with(after="-".join(map(str, page[-1].place))) if more else None,
    }
    return tagged(answer(described), state.version)


@blueprint.get("/<tournament>/rounds/<int:round>/check")
@charged("heavy")
@operation("tournaments", answers.RoundCheck, problems=(404,), open=True)
def check_round(tournament: str, round: int) -> Response:
    """Pair a round again, and compare the result with the stored pairing.

    The pairing is computed from the events before the round. A worker does this, once for all who ask, and the result
    is kept for ten minutes. The request waits for it. If it takes longer than 20 s, or if too many reports wait to be
    made, the answer is 503 `report/busy`. The report is made all the same, so ask again later.
    """
    require_paired(read_tournament(tournament), round)
    return answer_report(pairing_of(tournament, round), answer)


@blueprint.get("/<tournament>/matches")
@charged("heavy")
@operation("tournaments", media={NDJSON: None}, problems=(404,), open=True)
def export_matches(tournament: str) -> Response:
    """Export all decided games.

    Each line of the NDJSON is a game with its match as a text record, in the order of rounds and boards. A game that
    the organiser decided has no match, and its record is null. The last line has the number of games and the SHA-256 of
    all bytes before this line. For the events of a match, get its bundle.
    """
    state = read_tournament(tournament)
    lines = tournament_queries.export_games(state, parts().matches, parts().accounts)
    return answer_export(lines, NDJSON)


@blueprint.get("/<tournament>/events")
@operation(
    "tournaments",
    media={JSON: answers.TournamentEvents, NDJSON: None, SSE: None},
    query=parameters.TournamentEventsQuery,
    problems=(400, 404, 409),
    open=True,
    followed=True,
)
def list_events(tournament: str) -> Response:
    """List a tournament's events.

    Get pages as JSON, all events at once as NDJSON, or a live stream of server-sent events, as for a match. When the
    tournament is over, the stream sends an event `end` and closes; connecting again gets 204.
    """
    media = accepted(JSON, NDJSON, SSE)
    query = parse_query(parameters.TournamentEventsQuery)
    after = last_event_id(query["after"])
    state, source = read_tournament(tournament), parts().tournament_events
    is_over = state.status in ("ended", "aborted")
    if media == SSE:
        require_known(tournament, after, state.version)
        if is_over and after >= state.version:
            return varied(Response(status=204))
        return varied(stream_events(source, tournament, after, lambda _: True, state.version if is_over else None))
    given = give_events("tournament", parts().tournaments.handler, tournament, state.version, media, query)
    if media == JSON and query["after"] == state.version and not is_over:
        wait_for_news(source, tournament, query["after"], query["wait"])
    return varied(given)


def read_tournament(tournament: str) -> Tournament:
    """The tournament with this id; NotFound if there is none, or if the request may not read it.

    The code of an entry link, as the parameter `code` of the address, lets its holder read a private tournament.
    """
    state = parts().tournaments.read(tournament) if is_stream_id("tournament", tournament) else None
    if state is not None and state.created is not None and _is_readable(state):
        return state
    raise NotFound(f"there is no tournament {tournament}", "tournament/unknown")


def _is_readable(state: Tournament) -> bool:
    if not state.terms.private:
        return True
    key = parts().config.server_key
    return may_read_tournament(state, principal_if_any()) or is_entry_code(key, state, request.args.get("code"))


def act_in_tournament(state: Tournament, who: Principal, at_table: bool = False) -> Actor:
    """The actor of a command of `who` on the tournament; ScopeMissing if the token does not cover it.

    Whoever holds the code of a table gives only those commands that are given `at_table`.
    """
    role = find_role(state, who)
    if who.table is not None:
        if not at_table or who.table.tournament != state.stream:
            raise WrongPerson("tournament/not-yours", "the code of a table is for its own games alone")
        return who.table.place.actor
    if role == "player":
        who.require("play")
    return Actor(role, who.account)


def is_organised_by(state: Tournament, who: Principal) -> bool:
    """Whether a request of `who` counts as one of the organisers: the owner, an arbiter or an administrator."""
    return find_role(state, who) in ("organiser", "arbiter")


def require_organising(state: Tournament, who: Principal) -> None:
    """WrongPerson unless `who` organises the tournament."""
    if not is_organised_by(state, who):
        raise WrongPerson("tournament/not-yours", "only the organiser or an arbiter of the tournament may do this")


def execute(tournament: str, schema: Any, make: Any, status: int = 200, at_table: bool = False) -> Response:
    """Execute the command that `make` builds, and return its receipt. `at_table` is as in act_in_tournament.

    `make` gets the fields that every command has (actor, time, id), the parsed body and the principal.
    """
    who = principal()
    state = read_tournament(tournament)
    body = parse_body(schema)
    actor = act_in_tournament(state, who, at_table)
    asked = remembered(actor)
    command: Command = make({"actor": actor, "at": now_ms(), "id": asked.id.hex()}, body, who)
    done = parts().tournaments.execute(tournament, command, asked, expected_version())
    return answer_command(done, tournament_queries.describe_receipt(done), status)
