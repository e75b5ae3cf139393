"""Organise tournaments: arbiters, requests and entry links, the rounds, codes for tables, results and penalties."""

from typing import Any

import orjson
from flask import Response

from plyscribe.domain.at_table import WHOLE_TABLE, TablePlace
from plyscribe.domain.declared_builds import build_of
from plyscribe.domain.errors import WrongValue
from plyscribe.domain.names import require_label
from plyscribe.domain.tournament.commands import (
    AnswerCall,
    AssignEntrant,
    CallArbiter,
    CallRound,
    CancelAbsence,
    CorrectGame,
    DismissArbiter,
    EndRequest,
    EnterBuild,
    GivePenalty,
    LiftPenalty,
    NameArbiter,
    PairByHand,
    PauseTournament,
    ReplayGame,
    ReportResult,
    RequestEntry,
    ResumeTournament,
    ReturnEntrant,
    RevokeEntryLinks,
    RevokeTableCodes,
    SeedEntrant,
    TakeBackRound,
)
from plyscribe.domain.tournament.conditions import parse_result, require_game, require_status
from plyscribe.domain.tournament.rounds import check_placed
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.clock import now_ms
from plyscribe.service.reports.subjects import judgement_of, proposal_of, result_of
from plyscribe.service.tournaments.codes import HOUR_S, issue_entry_code
from plyscribe.service.web.api.awaiting import answer_report
from plyscribe.service.web.api.http import (
    answer,
    current_request,
    parse_body,
    parse_query,
    parts,
    principal,
)
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.api.tournaments import (
    PROBLEMS,
    Fields,
    blueprint,
    execute,
    find_account,
    read_tournament,
    require_organising,
)
from plyscribe.service.web.charging import charged
from plyscribe.service.web.packing import tagged
from plyscribe.service.web.schemas import answers, bodies, parameters

receipt: dict[str, Any] = {"problems": PROBLEMS, "command": True}
unkeyed: dict[str, Any] = {"problems": (403, 404, 409), "command": True, "keyed": False}

# ---- arbiters


@blueprint.post("/<tournament>/arbiters")
@operation("tournaments", answers.TournamentReceipt, status=201, body=bodies.NamedAccount, **receipt)
def name_arbiter(tournament: str) -> Response:
    """Make an account an arbiter of a tournament.

    Only the organiser can do this. An arbiter can do what the organiser can, except name arbiters and call the
    tournament off, and rules on no board that they sit at. The arbiter's token needs the scope `play`.
    """

    def make(base: Fields, body: Fields, _: Any) -> NameArbiter:
        return NameArbiter(**base, player=find_account(body.get("player"), body.get("name")))

    return execute(tournament, bodies.NamedAccount, make, 201)


@blueprint.delete("/<tournament>/arbiters/<player>")
@operation("tournaments", answers.TournamentReceipt, body=bodies.Nothing, **receipt)
def dismiss_arbiter(tournament: str, player: str) -> Response:
    """Dismiss an arbiter. An arbiter can resign."""
    return execute(tournament, bodies.Nothing, lambda base, *_: DismissArbiter(**base, player=player))


# ---- entries


@blueprint.post("/<tournament>/requests")
@operation("tournaments", answers.TournamentReceipt, status=201, body=bodies.NewRequest, **receipt)
def request_entry(tournament: str) -> Response:
    """Ask to be let into a tournament that is not open.

    By asking, you agree to be seated in its matches once an organiser lets you in.
    """

    def make(base: Fields, body: Fields, _: Any) -> RequestEntry:
        require_label(body["label"])
        return RequestEntry(**base, label=body["label"])

    return execute(tournament, bodies.NewRequest, make, 201)


@blueprint.delete("/<tournament>/requests/<player>")
@operation("tournaments", answers.TournamentReceipt, body=bodies.Refused, **receipt)
def end_request(tournament: str, player: str) -> Response:
    """Withdraw your request to be let in, or refuse one as an organiser."""
    return execute(tournament, bodies.Refused, lambda base, body, _: EndRequest(**base, player=player, **body))


@blueprint.post("/<tournament>/entrants/<int:entrant>/builds")
@operation("tournaments", answers.TournamentReceipt, status=201, body=bodies.EntrantBuild, **receipt)
def enter_build(tournament: str, entrant: int) -> Response:
    """Say which build of a program plays for you in a tournament.

    It is your own claim, and everybody can read it. If it is `pinned`, a match of the tournament refuses every other
    build of yours, and once the tournament has started the pin stays. What plays in a match is declared there.
    """

    def make(base: Fields, body: Fields, _: Any) -> EnterBuild:
        return EnterBuild(**base, entrant=entrant, build=build_of(body), pinned=body["pinned"])

    return execute(tournament, bodies.EntrantBuild, make, 201)


@blueprint.post("/<tournament>/entry-link")
@operation("tournaments", answers.EntryLink, status=201, body=bodies.Lasting, **unkeyed)
def make_entry_link(tournament: str) -> Response:
    """Make a link by which players enter a tournament that is not open.

    Whoever has the link can read the tournament, even if it is private, and enter it with an account. Nothing is
    stored: each request makes a link of its own.
    """
    state, body = read_tournament(tournament), parse_body(bodies.Lasting)
    require_organising(state, principal())
    expires_s = now_ms() // 1000 + body["hours"] * HOUR_S
    code = issue_entry_code(parts().config.server_key, state, expires_s)
    url = f"{current_request().own_origin}/tournaments/{state.stream}/enter?code={code}"
    return answer({"tournament": state.stream, "code": code, "url": url, "expires_at": expires_s * 1000}, 201)


@blueprint.delete("/<tournament>/entry-link")
@operation("tournaments", answers.TournamentReceipt, body=bodies.Nothing, **receipt)
def revoke_entry_links(tournament: str) -> Response:
    """Make all entry links of a tournament void."""
    return execute(tournament, bodies.Nothing, lambda base, *_: RevokeEntryLinks(**base))


@blueprint.patch("/<tournament>/entrants/<int:entrant>")
@operation("tournaments", answers.TournamentReceipt, body=bodies.Seeding, **receipt)
def seed_entrant(tournament: str, entrant: int) -> Response:
    """Set the rating and the seed of an entrant, before the start.

    Entrants with a seed come first, in its order, then those with a rating, then the others in the order of entry.
    """
    return execute(tournament, bodies.Seeding, lambda base, body, _: SeedEntrant(**base, entrant=entrant, **body))


@blueprint.put("/<tournament>/entrants/<int:entrant>/team")
@operation("tournaments", answers.TournamentReceipt, body=bodies.Assignment, **receipt)
def assign_entrant(tournament: str, entrant: int) -> Response:
    """Set the team of an entrant and its place in the board order, before the start.

    Only organisers can do this, in a format of teams. A new name makes a new team. Case and spaces make no difference
    in names of teams.
    """
    return execute(tournament, bodies.Assignment, lambda base, body, _: AssignEntrant(**base, entrant=entrant, **body))


@blueprint.post("/<tournament>/entrants/<int:entrant>/return")
@operation("tournaments", answers.TournamentReceipt, body=bodies.Reason, **receipt)
def return_entrant(tournament: str, entrant: int) -> Response:
    """Let an entrant play again that has withdrawn or was disqualified. Only organisers can do this."""
    return execute(tournament, bodies.Reason, lambda base, body, _: ReturnEntrant(**base, entrant=entrant, **body))


@blueprint.delete("/<tournament>/entrants/<int:entrant>/absences/<int:round>")
@operation("tournaments", answers.TournamentReceipt, body=bodies.Nothing, **receipt)
def cancel_absence(tournament: str, entrant: int, round: int) -> Response:
    """Cancel an absence or an asked bye, for a round that is not paired yet."""
    return execute(tournament, bodies.Nothing, lambda base, *_: CancelAbsence(**base, entrant=entrant, round=round))


# ---- rounds


@blueprint.post("/<tournament>/pause")
@operation("tournaments", answers.TournamentReceipt, body=bodies.PausedTournament, **receipt)
def pause_tournament(tournament: str) -> Response:
    """Pause a tournament: no round is paired and no match is made.

    Matches under way go on, unless `matches` is true: then they are paused too, usually within a second, until the
    tournament goes on. An arbiter can resume one of them before.
    """
    return execute(tournament, bodies.PausedTournament, lambda base, body, _: PauseTournament(**base, **body))


@blueprint.post("/<tournament>/resume")
@operation("tournaments", answers.TournamentReceipt, body=bodies.Nothing, **receipt)
def resume_tournament(tournament: str) -> Response:
    """Let a paused tournament go on."""
    return execute(tournament, bodies.Nothing, lambda base, *_: ResumeTournament(**base))


@blueprint.post("/<tournament>/rounds")
@operation("tournaments", answers.TournamentReceipt, status=201, body=bodies.NextRound, **receipt)
def begin_round(tournament: str) -> Response:
    """Call the next round, or pair it by hand.

    A round of a tournament whose `rounds_begin` is `call` is paired when it is called; if no round is left, the
    tournament ends instead. With `boards`, `byes` and `why`, the round is paired as they say. Everybody present needs a
    place.
    """

    def make(base: Fields, body: Fields, _: Any) -> CallRound | PairByHand:
        if body["boards"] is None:
            if body["byes"] or body["why"] is not None:
                raise WrongValue("tournament/pairing", "give boards too, to pair the round by hand")
            return CallRound(**base, round=body["round"])
        boards, byes = tuple(map(tuple, body["boards"])), tuple(body["byes"])
        return PairByHand(**base, round=body["round"], boards=boards, byes=byes, why=body["why"] or "")

    return execute(tournament, bodies.NextRound, make, 201)


@blueprint.get("/<tournament>/rounds/next")
@charged("heavy")
@operation("tournaments", answers.Proposal, problems=(404, 409), open=True, tagged=True)
def propose_round(tournament: str) -> Response:
    """Show how the next round would be paired now.

    `boards` is null if no round is left. Like a check, this is a report, for which the request waits.
    """
    state = read_tournament(tournament)
    require_status(state, "playing")
    return answer_report(
        proposal_of(tournament, state.version), lambda report: tagged(answer(report), report["version"])
    )


@blueprint.post("/<tournament>/rounds/next/check")
@charged("heavy")
@operation("tournaments", answers.Judgement, body=bodies.TriedPairing, **unkeyed)
def judge_round(tournament: str) -> Response:
    """Check a pairing of the next round by hand: what speaks against it. Nothing is stored."""
    state, body = read_tournament(tournament), parse_body(bodies.TriedPairing)
    require_organising(state, principal())
    require_status(state, "playing")
    check_placed(body["boards"], body["byes"], state)
    text = orjson.dumps([body["boards"], body["byes"]]).decode()
    return answer_report(judgement_of(tournament, state.version, text), answer)


@blueprint.delete("/<tournament>/rounds/<int:round>")
@operation("tournaments", answers.TournamentReceipt, body=bodies.Reason, **receipt)
def take_back_round(tournament: str, round: int) -> Response:
    """Take the pairing of the last round back, as long as none of its games is decided. Its matches are aborted."""
    return execute(tournament, bodies.Reason, lambda base, body, _: TakeBackRound(**base, round=round, **body))


# ---- tables


@blueprint.post("/<tournament>/rounds/<int:round>/codes")
@operation("tournaments", answers.Codes, status=201, body=bodies.NewCodes, **unkeyed)
def make_codes(tournament: str, round: int) -> Response:
    """Make codes for the tables of the round that is being played.

    Whoever has the code of a table records its matches and enters its results, without an account; the code of a seat
    is for that seat alone. Send a code like a token. Nothing is stored: each request makes codes of its own, and all of
    them are valid until they expire, are revoked, or the round is taken back.
    """
    state, body = read_tournament(tournament), parse_body(bodies.NewCodes)
    require_organising(state, principal())
    expires_s = now_ms() // 1000 + body["hours"] * HOUR_S
    last = len(state.rounds[round - 1].boards) if 1 <= round <= len(state.rounds) else 0
    boards = range(1, last + 1) if body["board"] is None else [body["board"]]
    seats = range(1, state.terms.seats + 1) if body["seats"] else [WHOLE_TABLE]
    places = [TablePlace(round, board, seat) for board in boards for seat in seats] or [TablePlace(round, 1)]
    return answer({"tournament": state.stream, "codes": [_make_code(state, each, expires_s) for each in places]}, 201)


def _make_code(state: Tournament, place: TablePlace, expires_s: int) -> Fields:
    code = parts().table_codes.issue(state, place, expires_s)
    board = state.rounds[place.round - 1].boards[place.board - 1]
    return {
        "board": place.board,
        "seat": place.seat,
        "entrants": list(board),
        "code": code,
        "url": f"{current_request().own_origin}/at/{code}",
        "expires_at": expires_s * 1000,
    }


@blueprint.post("/<tournament>/code-revocations")
@operation("tournaments", answers.TournamentReceipt, body=bodies.CodeRevocation, **receipt)
def revoke_codes(tournament: str) -> Response:
    """Make the codes of a board, or of all boards, void."""
    return execute(tournament, bodies.CodeRevocation, lambda base, body, _: RevokeTableCodes(**base, **body))


@blueprint.post("/<tournament>/results")
@operation("tournaments", answers.TournamentReceipt, status=201, body=bodies.NewResult, **receipt)
def report_result(tournament: str) -> Response:
    """Enter the result of a game that was played at a table, without its moves.

    Whoever has a code of the table can do this, and organisers who do not sit there. The match of the game is aborted
    if it is being recorded. Refused if the match has ended, because its result counts.
    """

    def make(base: Fields, body: Fields, _: Any) -> ReportResult:
        return ReportResult(**base, **_with_result(body))

    return execute(tournament, bodies.NewResult, make, 201, at_table=True)


# ---- rulings


@blueprint.post("/<tournament>/corrections")
@operation("tournaments", answers.TournamentReceipt, body=bodies.NewCorrection, **receipt)
def correct_game(tournament: str) -> Response:
    """Correct the result of a decided game, also after the next round is paired or the tournament has ended.

    Only organisers can do this, and nobody who sits on the board. The pairings that followed from the old result stay.
    """

    def make(base: Fields, body: Fields, _: Any) -> CorrectGame:
        return CorrectGame(**base, **_with_result(body))

    return execute(tournament, bodies.NewCorrection, make)


def _with_result(body: Fields) -> Fields:
    ranks = None if body["ranks"] is None else tuple(body["ranks"])
    return {**body, "ranks": ranks, "forfeited": tuple(body["forfeited"])}


@blueprint.post("/<tournament>/replays")
@operation("tournaments", answers.TournamentReceipt, body=bodies.NewReplay, **receipt)
def replay_game(tournament: str) -> Response:
    """Have a decided game of the last round played once more. Its result is void.

    Only organisers can do this, and nobody who sits on the board.
    """
    return execute(tournament, bodies.NewReplay, lambda base, body, _: ReplayGame(**base, **body))


@blueprint.get("/<tournament>/rulings/preview")
@charged("heavy")
@operation(
    "tournaments", answers.RulingPreview, query=parameters.ResultQuery, problems=(404, 422), open=True, tagged=True
)
def preview_ruling(tournament: str) -> Response:
    """Show the table as it stands, and as it would stand if a game had another result.

    In a large tournament this is a report, for which the request waits: 503 `report/busy` if that takes too long.
    """
    query, state = parse_query(parameters.ResultQuery), read_tournament(tournament)
    game = require_game(state, query["round"], query["board"], query["game"])
    ranks, forfeited = parse_result(game, query["ranks"] or None, query["forfeited"])
    subject = result_of(tournament, state.version, (game.round, game.board, game.game), ranks, forfeited)
    return answer_report(subject, lambda report: tagged(answer(report), report["version"]), events=state.version)


# ---- calls


@blueprint.post("/<tournament>/calls")
@operation("tournaments", answers.TournamentReceipt, status=201, body=bodies.NewCall, **receipt)
def call_arbiter(tournament: str) -> Response:
    """Call an arbiter to a table, with its code.

    The call is `call` of the game until an arbiter answers it, or rules on the game. Meanwhile, nobody calls again.
    """
    return execute(tournament, bodies.NewCall, lambda base, body, _: CallArbiter(**base, **body), 201, at_table=True)


@blueprint.post("/<tournament>/call-answers")
@operation("tournaments", answers.TournamentReceipt, status=201, body=bodies.CallAnswer, **receipt)
def answer_call(tournament: str) -> Response:
    """Answer the call of a table without a ruling. Only organisers can do this."""
    return execute(tournament, bodies.CallAnswer, lambda base, body, _: AnswerCall(**base, **body), 201)


# ---- penalties


@blueprint.post("/<tournament>/penalties")
@operation("tournaments", answers.TournamentReceipt, status=201, body=bodies.NewPenalty, **receipt)
def give_penalty(tournament: str) -> Response:
    """Give an entrant a penalty, or a warning without points.

    Only organisers can do this who do not play in the tournament.
    """
    return execute(tournament, bodies.NewPenalty, lambda base, body, _: GivePenalty(**base, **body), 201)


@blueprint.delete("/<tournament>/penalties/<int:penalty>")
@operation("tournaments", answers.TournamentReceipt, body=bodies.Reason, **receipt)
def lift_penalty(tournament: str, penalty: int) -> Response:
    """Lift a penalty, so that it counts no more."""
    return execute(tournament, bodies.Reason, lambda base, body, _: LiftPenalty(**base, penalty=penalty, **body))
