"""Sheets to print for the tables of a round: a card for each board, or seat, with the QR code that a phone scans."""

from ipaddress import ip_address
from typing import Any

from flask import Response, request

from plyscribe.domain.at_table import WHOLE_TABLE, TablePlace
from plyscribe.domain.errors import WrongTime
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.clock import now_ms
from plyscribe.service.tournaments.codes import HOUR_S
from plyscribe.service.tournaments.pairing_check import require_paired
from plyscribe.service.tournaments.queries import name_all
from plyscribe.service.web.api.http import current_request, parts, principal
from plyscribe.service.web.api.tournaments import read_tournament, require_organising
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.friend import draw_code

HOURS = (4, 12, 24, 72)
USUAL_HOURS = 12
"""How long the codes of a sheet are valid: for an evening, unless somebody asks for another time."""


@blueprint.get("/tournaments/<tournament>/rounds/<int:round>/sheets")
def show_sheets(tournament: str, round: int) -> Response:
    """Show the codes of the tables of a round, to be printed. Only organisers and arbiters see them."""
    state = read_tournament(tournament)
    require_organising(state, principal())
    require_paired(state, round)
    if not state.terms.at_table:
        raise WrongTime("tournament/not-at-table", "this tournament is played online: its tables need no codes")
    by_seat = request.args.get("for") == "seats"
    asked = request.args.get("hours", USUAL_HOURS, type=int)
    hours = asked if asked in HOURS else USUAL_HOURS
    board = request.args.get("board", type=int)
    response = show_page(
        "table_sheets.html",
        tournament={"tournament": state.stream, "name": state.terms.name},
        round=round,
        cards=_list_cards(state, round, board, by_seat, hours),
        board=board,
        boards=len(state.rounds[round - 1].boards),
        by_seat=by_seat,
        hours=hours,
        choices=HOURS,
        only_here=_is_loopback(),
        is_encrypted=current_request().is_encrypted,
    )
    response.headers["Cache-Control"] = "no-store"
    return response


def _list_cards(state: Tournament, round: int, only: int | None, by_seat: bool, hours: int) -> list[dict[str, Any]]:
    """The cards of the board `only`, or of all boards."""
    # The same codes all hour, so that a page that is loaded again shows what hangs on the wall.
    expires_s = (now_ms() // 1000 // HOUR_S + 1 + hours) * HOUR_S
    names, cards = name_all(state, parts().accounts), []
    for board, entrants in enumerate(state.rounds[round - 1].boards, 1):
        seats = range(1, len(entrants) + 1) if by_seat else (WHOLE_TABLE,)
        for seat in seats if only in (None, board) else ():
            code = parts().table_codes.issue(state, TablePlace(round, board, seat), expires_s)
            address = f"{current_request().own_origin}/at/{code}"
            cards.append(
                {
                    "board": board,
                    "seat": seat,
                    "names": [names[entrant] for entrant in entrants],
                    "address": address,
                    "code": draw_code(address),
                    "expires_at": expires_s * 1000,
                }
            )
    return cards


def _is_loopback() -> bool:
    """Whether this page was opened under a name that means this computer on every phone."""
    host = current_request().host.rpartition(":")[0] or current_request().host
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
