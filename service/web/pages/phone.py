"""The page that the code of a table opens on a phone: to record the match, enter its result, or type its score sheet.

Nobody needs an account for it. The code is in the address of the page, and scripts send it in a header, so that several
codes can be open in one browser and none of them is mixed up with an account that is signed in.
"""

from typing import Any, NamedTuple, TypeVar

from flask import Response, redirect
from werkzeug.wrappers import Response as AnyResponse

from plyscribe.domain.at_table import WHOLE_TABLE
from plyscribe.domain.match import Match
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.state import Game, Tournament
from plyscribe.service.access.accounts import Principal, TableSeat
from plyscribe.service.errors import NotFound, Unauthenticated
from plyscribe.service.matches.story import name_players
from plyscribe.service.matches.touching import list_ways
from plyscribe.service.tournaments.codes import TableCode
from plyscribe.service.tournaments.queries import name_all
from plyscribe.service.web.api.http import answer, current_request, negotiate_language, parts, principal
from plyscribe.service.web.packing import answer_fixed
from plyscribe.service.web.pages.assets import load_asset
from plyscribe.service.web.pages.blueprint import POLICY, blueprint, show_page
from plyscribe.service.web.pages.ending import name_result
from plyscribe.service.web.pages.language import keep_language
from plyscribe.service.web.pages.table import describe_play
from plyscribe.service.web.pages.wording import name_way

R = TypeVar("R", bound=AnyResponse)

PHONE_HEADERS = {
    "Content-Security-Policy": f"{POLICY}; worker-src 'self'",
    # The address holds the code: no other page and no log of requests learns it.
    "Referrer-Policy": "strict-origin",
    "Cache-Control": "no-store",
    "X-Robots-Tag": "noindex",
}

VOID, GONE = 404, 410
"""The statuses for a code that is none of ours, and for one that is no longer valid."""


class Place(NamedTuple):
    """Where somebody with the code of a table is: the tournament, the game that is on, and its match if it is made."""

    tournament: Tournament
    seat: int
    game: Game
    match: Match | None

    @property
    def is_on(self) -> bool:
        """Whether the game belongs to the round that is being played."""
        return self.tournament.status == "playing" and self.game.round == len(self.tournament.rounds)

    @property
    def can_report(self) -> bool:
        """Whether a result can be entered now."""
        has_ended = self.match is not None and self.match.life.outcome is not None
        return self.is_on and self.game.ranks is None and not has_ended


@blueprint.get("/at/<code>")
def show_phone(code: str) -> Response:
    """Show the table of a code: the board to record on, the result to enter, or why the code is no longer valid."""
    who = _find_holder()
    if isinstance(who, Unauthenticated):
        return _confine(_explain(code, who))
    assert who.table is not None  # it is a code
    place = find_place(who.table)
    read = parts().table_codes.read(code)
    assert read is not None  # or it would not be valid
    described = _describe(place, read)
    if place.match is None or place.match.life.status == "aborted":
        return _confine(show_page("phone.html", phone=described))
    way = "record" if place.seat == WHOLE_TABLE else "play"
    shown = describe_play(place.match, who)
    return _confine(show_page("table.html", **shown, way=way, frame="phone_frame.html", phone=described))


@blueprint.post("/at/<code>")
def choose_phone_language(code: str) -> AnyResponse:
    """Keep the chosen language in this browser, and go back to the page of the code.

    The form is sent to the address of the page itself: then no page holds the code, beside names that others chose.
    """
    return _confine(keep_language(redirect(f"/at/{code}", 303)))


@blueprint.get("/at/<code>/ahead")
def list_moves_ahead(code: str) -> Response:
    """Tell a phone the legal moves of the present position and how to touch them, for when it has no network."""
    who = _find_holder()
    if isinstance(who, Unauthenticated):
        raise who
    assert who.table is not None  # it is a code
    match = find_place(who.table).match
    if match is None:
        raise NotFound("the match of this board is being prepared", "match/unknown")
    language = negotiate_language()
    names = name_players(match, parts().accounts.name_of, language)
    return _confine(answer({"version": match.version, **list_ways(match, language, names)}))


@blueprint.get("/at/worker.js")
def read_worker() -> Response:
    """Send the script that keeps the page of a code on the phone. It is in charge of addresses that begin with /at/."""
    asset = load_asset("phone_worker.js")
    response = answer_fixed(asset.text, asset.content_type)
    response.headers["Cache-Control"] = "no-cache"
    return response


def _find_holder() -> Principal | Unauthenticated:
    """Whoever holds the code in the address, or why it is not valid. An account does not count here."""
    if current_request().table_code_sent is None:
        return Unauthenticated("this code is not one of ours: scan it again", "table/unknown")
    try:
        return principal()
    except Unauthenticated as refusal:
        return refusal


def _confine(response: R) -> R:
    """The response, with what keeps the code to this phone."""
    response.headers.update(PHONE_HEADERS)
    return response


def _explain(code: str, refusal: Unauthenticated) -> Response:
    """The page of a code that is not valid: what to do, and what this phone still keeps."""
    read = parts().table_codes.read(code)
    status = VOID if refusal.code == "table/unknown" else GONE
    return show_page("phone_over.html", status, reason=refusal.code.partition("/")[2], code=read, **_name_of(read))


def _name_of(read: TableCode | None) -> dict[str, Any]:
    if read is None:
        return {}
    state = parts().tournaments.read(read.tournament)
    return {"tournament_name": state.terms.name, "round": read.place.round, "board": read.place.board}


def find_place(table: TableSeat) -> Place:
    """The place of a valid code, with its first game that has no result, or else with the last one."""
    state = parts().tournaments.read(table.tournament)
    games = state.rounds[table.place.round - 1].games[table.place.board - 1]
    game = next((each for each in games if each.ranks is None), games[-1])
    match = parts().matches.read(parts().tournaments.match_id(state, game))
    return Place(state, table.place.seat, game, match if match.lifecycle is not None else None)


def _describe(place: Place, code: TableCode) -> dict[str, Any]:
    state, game = place.tournament, place.game
    names = name_all(state, parts().accounts)
    return {
        "tournament": state.stream,
        "version": state.version,
        "name": state.terms.name,
        "is_private": state.terms.private,
        "game_title": find_ruleset(state.terms.ruleset, state.terms.ruleset_version).title,
        "round": game.round,
        "board": game.board,
        "game": game.game,
        "has_games": len(state.rounds[game.round - 1].games[game.board - 1]) > 1,
        "seat": place.seat,
        "entrants": [(number, names[number]) for number in game.entrants],
        "match": place.match.stream if place.match else None,
        "expires_at": code.expires_s * 1000,
        "status": state.status,
        "paused": state.paused,
        "is_on": place.is_on,
        "newest_round": len(state.rounds),
        "can_report": place.can_report,
        "result": _describe_result(game, names),
        "call": game.call,
        "can_call": state.status in ("playing", "ended"),
        "event_types": " ".join(TOURNAMENT.types) if state.status == "playing" else "",
    }


def _describe_result(game: Game, names: dict[int, str]) -> dict[str, Any] | None:
    if game.ranks is None:
        return None
    seated = [names[entrant] for entrant in game.entrants]
    return {
        "sentence": name_result(game.ranks, seated),
        "places": sorted(zip(game.ranks, seated, strict=True)),
        "absent": [names[entrant] for entrant in game.forfeited],
        "how": name_way(game.reason or ""),
        "why": game.why,
        "annulled": game.annulled,
    }
