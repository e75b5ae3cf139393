"""Matches over HTTP: every view parses, calls and dumps."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, g, request
from marshmallow import Schema

from domain.commands import (
    AbortMatch,
    Actor,
    AddEntropy,
    AnnulMatch,
    AnswerDraw,
    Command,
    CreateMatch,
    LeaveSeat,
    MakeMove,
    OfferDraw,
    RecordRoll,
    StartMatch,
    TakeBack,
    TakeSeat,
    Withdraw,
)
from domain.errors import Unknown, WrongPerson, WrongTime, WrongValue
from domain.events import Account, Guest, Occupant, RecordedDice
from domain.match import Match
from domain.replay import has_settled, position_at
from service import queries
from service.access import OVERSEERS, may_read, needs_invitation
from service.accounts import Principal
from service.api.http import (
    JSON,
    NDJSON,
    TEXT,
    accepted,
    answer,
    expected_version,
    idempotency_key,
    parse_body,
    parse_query,
    parts,
    path_with,
    principal,
    principal_if_any,
    remembered,
)
from service.api.live import SSE, last_event_id, stream_events, wait_for_news
from service.api.openapi import operation
from service.api.players import find_player, require_no_key
from service.api.ratings import describe_change
from service.clock import now_ms
from service.config import SERVER
from service.errors import NotFound
from service.handlers import Answer
from service.ids import is_stream_id, stream_id
from service.invitations import issue_invitation, read_invitation
from service.rematches import draft_rematch, rematch_id, seats_offered
from service.schemas import answers, bodies, parameters
from service.sources import is_final

EVENTS_BESIDE_MOVES = 16
"""About how many events a match has beside its moves."""

blueprint = Blueprint("matches", __name__, url_prefix="/v1/matches")


Fields = dict[str, Any]

COMMAND_PROBLEMS = (403, 404, 409, 412)


# --------------------------------------------------------------------------------------------------------- commands


@blueprint.post("")
@operation("matches", answers.Receipt, status=201, body=bodies.NewMatch, problems=(403,), command=True, located=True)
def create_match() -> Response:
    """Announce a match.

    Your own seat and the guests of a recorded match are seated at once, other players are invited, null seats are
    open to all. With `start: auto` the match starts by itself as soon as nothing is missing.
    """
    who = principal()
    body = parse_body(bodies.NewMatch)
    who.require("record" if body["recorded"] else "play")
    actor = Actor("player", who.account)
    asked = remembered(actor)
    stream = stream_id("match", asked)
    _require_players(body["seats"], who.account)
    server_dice, secret = parts().config.server_key.seal(stream)
    command = CreateMatch(
        actor=actor,
        at=now_ms(),
        id=asked.id.hex(),
        secret=secret,
        ruleset=body["ruleset"],
        ruleset_version=body["ruleset_version"],
        options=body["options"],
        seats=tuple(body["seats"]),
        recorder=who.account if body["recorded"] else None,
        dice=RecordedDice() if body["dice"] == "recorded" else server_dice,
        rated=body["rated"],
        private=body["private"],
        limits=body["limits"],
        start=body["start"],
        about=body["about"],
        server=SERVER,
    )
    created = _receipt(parts().matches.execute(stream, lambda _: command, asked, new=True), 201)
    created.headers["Location"] = f"/v1/matches/{stream}"
    return created


def _require_players(seats: list[Occupant | None], creator: str) -> None:
    for number, who in enumerate(seats, 1):
        if isinstance(who, Account) and who.player != creator:
            try:
                find_player(who.player)
            except NotFound as error:
                raise WrongValue("player/unknown", f"seat {number}: {error}", seat=number) from None


@blueprint.post("/<match>/seats/<int:seat>")
@operation("seats", answers.Receipt, body=bodies.TakeSeat, problems=COMMAND_PROBLEMS, command=True)
def take_seat(match: str, seat: int) -> Response:
    """Take a seat that is open to you; the recorder of a match may seat a guest.

    The open seats of a private match are open to who has an `invitation`, and to its creator and recorder.
    """

    def make(base: Fields, body: Fields) -> TakeSeat:
        guest = Guest(body["name"]) if body["name"] is not None else None
        return TakeSeat(**base, seat=seat, guest=guest, entropy=body["entropy"])

    def permit(state: Match, who: Principal, body: Fields) -> None:
        needed = needs_invitation(state, who, seat)
        invited = _invited_seat(state, body["invitation"]) if needed or not may_read(state, who) else None
        _require_reader(state, who, invited)
        if needed and invited != seat:
            raise WrongPerson("invitation/needed", f"seat {seat} is open to who is invited to it", seat=seat)

    return _execute(match, bodies.TakeSeat, make, permit)


@blueprint.post("/<match>/seats/<int:seat>/invitations")
@operation(
    "seats",
    answers.InvitationOut,
    status=201,
    body=bodies.NewInvitation,
    problems=(403, 404, 409),
    command=True,
    keyed=False,
)
def invite(match: str, seat: int) -> Response:
    """Invite whoever gets the link to an open seat of your match.

    The code lets its holder read the private match and take the seat. It is over when it expires, when anyone takes
    the seat, and when the match starts. To take it back, take the seat and leave it: earlier codes are over then.
    """
    require_no_key()
    who = principal()
    body = parse_body(bodies.NewInvitation)
    state = _read(match)
    _require_scope(state, who)
    if who.account not in (state.life.creator, state.life.created.recorder):
        raise WrongPerson("match/not-yours", "only the creator and the recorder of a match invite to it")
    expires_at = now_ms() + 1000 * body["expires_in_s"]
    code = issue_invitation(parts().config.server_key, state, seat, expires_at)
    path = f"/v1/matches/{match}?invitation={code}"
    return answer({"match": match, "seat": seat, "invitation": code, "expires_at": expires_at, "path": path}, 201)


@blueprint.delete("/<match>/seats/<int:seat>")
@operation("seats", answers.Receipt, body=bodies.Nothing, problems=COMMAND_PROBLEMS, command=True)
def leave_seat(match: str, seat: int) -> Response:
    """Leave your seat or decline an invitation, before the start; the creator may open any seat again."""
    return _execute(match, bodies.Nothing, lambda base, _: LeaveSeat(**base, seat=seat))


@blueprint.post("/<match>/entropy")
@operation("seats", answers.Receipt, body=bodies.Entropy, problems=COMMAND_PROBLEMS, command=True)
def add_entropy(match: str) -> Response:
    """Salt the server's dice, once a seat, before the start."""
    return _execute(match, bodies.Entropy, lambda base, body: AddEntropy(**base, **body))


@blueprint.post("/<match>/start")
@operation("matches", answers.Receipt, body=bodies.Nothing, problems=COMMAND_PROBLEMS, command=True)
def start_match(match: str) -> Response:
    """Start a match whose seats are all taken, without waiting for entropy."""
    return _execute(match, bodies.Nothing, lambda base, _: StartMatch(**base))


@blueprint.post("/<match>/rematch")
@operation("matches", answers.Receipt, body=bodies.Nothing, problems=(403, 404, 409), command=True, located=True)
def rematch(match: str) -> Response:
    """Ask for the rematch of a match that has ended: all as before, but everyone one seat further on.

    A match has one rematch. Who asks first creates it and is seated, the others are invited; who of them asks too is
    seated in it, and who is seated is told where it is.
    """
    who = principal()
    idempotency_key()
    parse_body(bodies.Nothing)
    old = _read(match)
    _require_scope(old, who)
    actor = Actor("player", who.account)
    command = draft_rematch(old, actor, now_ms(), parts().config.server_key)
    id, asked = rematch_id(match)
    done = parts().matches.execute(id, lambda _: command, asked, new=True)
    if done.replayed and actor.id != done.state.life.creator:
        done = _sit_down(done, actor)
    receipt = _receipt(done)
    receipt.headers["Location"] = f"/v1/matches/{id}"
    return receipt


def _sit_down(created: Answer[Match], actor: Actor) -> Answer[Match]:
    """The answer of taking the seats that a rematch has for the actor, that of its creation where none is to be had."""
    done = created
    for seat in seats_offered(created.state, actor.id):
        asked = remembered(actor, f" seat {seat}")
        base = {"actor": actor, "at": now_ms(), "id": asked.id.hex()}

        def command_for(state: Match, seat: int = seat, base: Fields = base) -> TakeSeat:
            return TakeSeat(**base, secret=parts().secret_for(state), seat=seat)

        with suppress(WrongTime, WrongPerson):
            done = parts().matches.execute(created.state.stream, command_for, asked)
    return done


@blueprint.post("/<match>/moves")
@operation("play", answers.Receipt, body=bodies.NewMove, problems=COMMAND_PROBLEMS, command=True)
def make_move(match: str) -> Response:
    """Play a move for the seat on turn.

    A refused move is answered with the broken clause of the rules and some legal moves.
    """
    return _execute(match, bodies.NewMove, lambda base, body: MakeMove(**base, **body))


@blueprint.post("/<match>/rolls")
@operation("play", answers.Receipt, body=bodies.NewRoll, problems=COMMAND_PROBLEMS, command=True)
def record_roll(match: str) -> Response:
    """Record what the awaited dice showed on the table."""
    return _execute(match, bodies.NewRoll, lambda base, body: RecordRoll(**base, values=tuple(body["values"])))


@blueprint.post("/<match>/take-back")
@operation("play", answers.Receipt, body=bodies.TakeBack, problems=COMMAND_PROBLEMS, command=True)
def take_back(match: str) -> Response:
    """Go back to the state just before move `ply` + 1, as the recorder of a match without server dice."""
    return _execute(match, bodies.TakeBack, lambda base, body: TakeBack(**base, **body))


@blueprint.post("/<match>/withdrawal")
@operation("play", answers.Receipt, body=bodies.Withdrawal, problems=COMMAND_PROBLEMS, command=True)
def withdraw(match: str) -> Response:
    """Resign your seat; the recorder may withdraw any seat, for any cause."""
    return _execute(match, bodies.Withdrawal, lambda base, body: Withdraw(**base, **body))


@blueprint.post("/<match>/draw")
@operation("play", answers.Receipt, body=bodies.Draw, problems=COMMAND_PROBLEMS, command=True)
def draw(match: str) -> Response:
    """Offer a draw, agree to the open offer, or decline it.

    A seat offers once between two of its moves. The match is drawn when every other seat in play has agreed; any
    move, roll or withdrawal closes the offer.
    """

    def make(base: Fields, body: Fields) -> Command:
        if body["action"] == "offer":
            return OfferDraw(**base, seat=body["seat"])
        return AnswerDraw(**base, seat=body["seat"], accept=body["action"] == "agree")

    return _execute(match, bodies.Draw, make)


@blueprint.post("/<match>/abort")
@operation("matches", answers.Receipt, body=bodies.Abort, problems=COMMAND_PROBLEMS, command=True)
def abort_match(match: str) -> Response:
    """End a match without an outcome.

    Its creator may before the start, a seat before its own first move, the recorder at any time.
    """
    return _execute(match, bodies.Abort, lambda base, body: AbortMatch(**base, **body))


@blueprint.post("/<match>/annulment")
@operation("matches", answers.Receipt, body=bodies.Annulment, problems=COMMAND_PROBLEMS, command=True)
def annul_match(match: str) -> Response:
    """Make a finished match count for nothing, as an organiser or administrator. Its record stays.

    If it was rated, the ratings are from then on what they would be had it never been played; `GET` on the same path
    tells what that changed.
    """
    who = principal()
    who.require(*OVERSEERS)
    _require_match_id(match)
    body = parse_body(bodies.Annulment)
    actor = Actor("organiser", who.account)
    asked = remembered(actor)
    command = AnnulMatch(actor=actor, at=now_ms(), id=asked.id.hex(), why=body["why"])
    done = parts().matches.execute(match, lambda _: command, asked, expected_version())
    if done.state.life.may_be_rated:
        # Were this process to die here, the relay would see to it.
        parts().ledgers.unrate(done.state)
    return _receipt(done)


@blueprint.get("/<match>/annulment")
@operation("matches", answers.AnnulmentOut, query=parameters.AnnulmentQuery, problems=(401, 403, 404), open=True)
def get_annulment(match: str) -> Response:
    """Tell which ratings the annulment of a match changed, with before and after, page by page.

    With `preview=true`, before the annulment: which it would change. That is for organisers and administrators.
    """
    query = parse_query(parameters.AnnulmentQuery)
    state = _read(match)
    annulment = state.life.annulment
    if query["preview"]:
        principal().require(*OVERSEERS)
    elif annulment is None:
        raise NotFound(f"{match} is not annulled", "match/not-annulled")
    changes = parts().ledgers.report(state) if annulment else parts().ledgers.preview(state)
    behind = query["offset"] + query["limit"]
    page = {
        "match": match,
        "why": annulment.why if annulment else None,
        "changes": [describe_change(change) for change in changes[query["offset"] : behind]],
        "next": path_with(offset=behind) if behind < len(changes) else None,
    }
    return _confined(answer(page), state)


def _require_reader(state: Match, who: Principal | None, invited: int | None = None) -> None:
    """Unknown, as of a match that is not there, unless `who` may read the match or has an invitation to it."""
    if state.version == 0 or not (invited or may_read(state, who)):
        raise Unknown("match/unknown", f"there is no match {state.stream}")


def _invited_seat(state: Match, code: str | None) -> int | None:
    """The seat that an invitation is to, None without one of ours; Unknown where it is over."""
    if code is None or state.lifecycle is None:
        return None
    invitation = read_invitation(parts().config.server_key, state, code, now_ms())
    return invitation.seat if invitation else None


def _require_scope(state: Match, who: Principal) -> None:
    who.require("record" if state.lifecycle and state.life.created.recorder == who.account else "play")


def _execute(
    match: str,
    schema: type[Schema],
    make: Callable[[Fields, Fields], Command],
    permit: Callable[[Match, Principal, Fields], None] = lambda state, who, _: _require_reader(state, who),
) -> Response:
    """The receipt of the command that `make` builds from who asks and when, and from the body, if `permit` does."""
    who = principal()
    _require_match_id(match)
    body = parse_body(schema)
    actor = Actor("player", who.account)
    asked = remembered(actor)
    base = {"actor": actor, "at": now_ms(), "id": asked.id.hex()}

    def command_for(state: Match) -> Command:
        # Before anything else, for that a private match exists is not told.
        permit(state, who, body)
        g.match = state
        _require_scope(state, who)
        return make({**base, "secret": parts().secret_for(state)}, body)

    return _receipt(parts().matches.execute(match, command_for, asked, expected_version()))


def _receipt(done: Answer[Match], status: int = 200) -> Response:
    receipt = answer(queries.describe_receipt(done), status)
    receipt.headers["ETag"] = f'"{done.events[-1].version}"'
    if done.replayed:
        receipt.headers["Idempotency-Replayed"] = "true"
    return receipt


def _require_match_id(id: str) -> None:
    if not is_stream_id("match", id):
        raise NotFound(f"there is no match {id[:64]}", "match/unknown")


# ---------------------------------------------------------------------------------------------------------- queries


def _read(id: str, version: int | None = None) -> Match:
    """The match, or its state at `version`; NotFound, too, where the request may not read it."""
    _require_match_id(id)
    match = parts().matches.read(id, version)
    # Seats are taken and left: who reads an old version is judged by the newest one.
    _require_readable(match if version is None or may_read(match, None) else parts().matches.read(id))
    if version is not None and match.version != version:
        raise NotFound(f"{id} is at version {match.version}, not yet at {version}", "stream/unknown-version")
    return match


def _require_readable(match: Match) -> None:
    """Unknown where the request may not read the match, which is no older than its start."""
    who = principal_if_any()
    if not may_read(match, None):
        code = request.args.get("invitation")
        _require_reader(match, who, None if may_read(match, who) else _invited_seat(match, code))


def _read_for_position(id: str, ply: int, version: int | None) -> Match:
    """As _read, but perhaps at another version, at which the position at `ply` is the same."""
    _require_match_id(id)
    match = parts().matches.read_until(id, lambda match: has_settled(match, ply), ply + EVENTS_BESIDE_MOVES)
    if version is not None and not (
        has_settled(match, ply) and match.play and match.play.steps[ply].version <= version <= match.version
    ):
        return _read(id, version)
    _require_readable(match)
    return match


@blueprint.get("/<match>")
@operation("matches", answers.MatchOut, query=parameters.MatchQuery, problems=(401, 404), open=True, tagged=True)
def get_match(match: str) -> Response:
    """Give a match as it stands now."""
    parse_query(parameters.MatchQuery)
    state = _read(match)
    return _confined(_tagged(answer(queries.describe_match(state)), state.version), state)


@blueprint.get("/<match>/legal-moves")
@operation("play", answers.LegalMoves, query=parameters.LegalMovesQuery, problems=(401, 404), open=True)
def legal_moves(match: str) -> Response:
    """List the legal moves of the seat on turn, those whose notation starts with a prefix, page by page."""
    query = parse_query(parameters.LegalMovesQuery)
    state = _read(match)
    moves, more = queries.list_legal_moves(state, query["prefix"], query["offset"], query["limit"])
    offset = query["offset"] + query["limit"]
    page = {
        "match": match,
        "version": state.version,
        "turn": queries.dump_turn(state.turn),
        "moves": moves,
        "next": _next_path(query, offset=offset) if more else None,
    }
    return _confined(answer(page), state)


@blueprint.get("/<match>/events")
@operation(
    "replay",
    media={JSON: answers.EventPage, NDJSON: None, SSE: None},
    query=parameters.EventsQuery,
    problems=(400, 401, 404, 406),
    open=True,
    followed=True,
)
def list_events(match: str) -> Response:
    """List a match's events with their hashes: pages as JSON, all at once as NDJSON, or live as server-sent events.

    A page may wait for the next event. NDJSON ends with a line of count, head hash and SHA-256 of all bytes before it.
    A live stream begins after `Last-Event-ID`, or `after`, and ends with an event `end` once the match is scored,
    aborted or annulled; then there is nothing to connect again for, and 204 says so.
    """
    media = accepted(JSON, NDJSON, SSE)
    query = parse_query(parameters.EventsQuery)
    state = _read(match)
    if media == SSE:
        return _confined(_varied(_stream_events(state, last_event_id(query["after"]))), state)
    if media == NDJSON:
        pages = queries.read_pages(parts().matches, match, query["after"], state.version)
        return _confined(_varied(Response(queries.export_lines(pages), content_type=NDJSON)), state)
    events = parts().matches.read_events(match, query["after"], query["limit"])
    # Who is ahead of the match waits for nothing that is near.
    if query["after"] == state.version and not is_final(state):
        wait_for_news(parts().match_events, match, query["after"], query["wait"])
    more = bool(events) and events[-1].version < state.version
    page = {
        "match": match,
        "version": state.version,
        "events": queries.dump_events(events),
        "next": _next_path(query, after=events[-1].version) if more else None,
    }
    return _confined(_varied(answer(page)), state)


def _stream_events(state: Match, after: int) -> Response:
    if not is_final(state):
        return stream_events(parts().match_events, state.stream, after)
    if after < state.version:
        return stream_events(parts().match_events, state.stream, after, upto=state.version)
    return Response(status=204)


@blueprint.get("/<match>/positions/<int:ply>")
@operation(
    "replay",
    media={JSON: answers.PositionOut, TEXT: None},
    query=parameters.PositionQuery,
    problems=(401, 404, 406),
    open=True,
    tagged=True,
)
def get_position(match: str, ply: int) -> Response:
    """Give the state just before move `ply` + 1, as JSON or as text for a terminal.

    With `version` the answer is exact and never changes; without it a recorder's take-back can change it.
    """
    media = accepted(JSON, TEXT)
    version = parse_query(parameters.PositionQuery)["version"]
    state = _read_for_position(match, ply, version)
    position = position_at(state, ply)
    if media == TEXT:
        response = Response(queries.render_position(state, position), content_type=f"{TEXT}; charset=utf-8")
    else:
        response = answer(queries.describe_position(state, position))
    if version is not None:
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return _confined(_varied(_tagged(response, position.version)), state)


def _confined(response: Response, match: Match) -> Response:
    """Keep what only some may read out of the caches that others share."""
    if not may_read(match, None):
        response.cache_control.public = False
        response.cache_control.private = True
        response.vary.add("Authorization")
    return response


def _varied(response: Response) -> Response:
    response.vary.add("Accept")
    return response


def _tagged(response: Response, version: int) -> Response:
    response.headers["ETag"] = f'"{version}"'
    if request.if_none_match.contains_weak(str(version)):
        response.status_code = 304
        response.set_data(b"")
    return response


def _next_path(query: dict[str, Any], **changed: Any) -> str:
    pairs = {name: value for name, value in {**query, **changed}.items() if value not in (None, "")}
    return f"{request.path}?{urlencode(pairs)}"
