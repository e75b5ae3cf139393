"""Playing with a friend: the link that the host sends, also as a QR code, and the page that it opens."""

from functools import lru_cache
from typing import NamedTuple

import segno
from flask import redirect, request
from markupsafe import Markup
from werkzeug.wrappers import Response as AnyResponse

from plyscribe.domain.commands import Actor
from plyscribe.domain.decide.who import sits_in
from plyscribe.domain.errors import Unknown
from plyscribe.domain.imported import is_address
from plyscribe.domain.match import Match
from plyscribe.domain.replay import position_at
from plyscribe.service.access.invitations import issue_invitation
from plyscribe.service.clock import now_ms
from plyscribe.service.errors import NotFound
from plyscribe.service.matches import queries
from plyscribe.service.web.api.http import current_request, parts, principal_if_any
from plyscribe.service.web.api.matches.reading import invited_seat, read_match
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.cards import describe_invitation
from plyscribe.service.web.pages.people import name_account
from plyscribe.service.web.pages.speech import gettext

DAY_MS = 24 * 60 * 60 * 1000
VALID_DAYS = 7


class FriendLink(NamedTuple):
    """The address that seats a friend, and the same as a QR code. The seat is None if the friend may choose."""

    seat: int | None
    address: str
    code: Markup


def list_links(state: Match, account: str | None) -> list[FriendLink]:
    """The links that the host of an open match can send, one for each open seat of a private match.

    None on a page whose address has a query: an answer with a secret must hold nothing that others chose (BREACH).
    """
    life, asked = state.life, current_request()
    is_host = account is not None and account in (life.creator, life.created.recorder)
    free = [number for number, seat in enumerate(life.seats, 1) if seat.occupant is None]
    if life.status != "open" or state.fault is not None or not is_host or not free or asked.query_string:
        return []
    page = f"{asked.own_origin}/matches/{state.stream}/join"
    if not life.created.private:
        return [] if life.created.recorder else [FriendLink(None, page, draw_code(page))]
    # The same link all day, so that it is still the same when the page is loaded again.
    expires_at = (now_ms() // DAY_MS + 1 + VALID_DAYS) * DAY_MS
    found = []
    for seat in free:
        address = f"{page}?invitation={issue_invitation(parts().config.server_key, state, seat, expires_at)}"
        found.append(FriendLink(seat, address, draw_code(address)))
    return found


@lru_cache(maxsize=256)
def draw_code(text: str) -> Markup:
    """The text as a QR code, an SVG without a size that can be scanned from light and from dark pages."""
    code = segno.make_qr(text, error="m")
    svg = code.svg_inline(border=3, omitsize=True, svgclass="qr", lineclass=None, dark="#000", light="#fff")
    return Markup(svg)  # noqa: S704


@blueprint.get("/matches/<match>/join")
def show_invitation(match: str) -> AnyResponse:
    """Show what a friend is invited to, with one button to play."""
    try:
        state = read_match(match)
        invited = invited_seat(state, request.args.get("invitation"))
    except (Unknown, NotFound) as error:
        return show_page("join_over.html", 404, is_over=error.code == "invitation/over", match=None)
    if is_address(state.stream):
        return redirect(f"/matches/{state.stream}", 303)
    who, life = principal_if_any(), state.life
    if who is not None and (sits_in(Actor("player", who.account), life) or who.account == life.creator):
        return redirect(f"/matches/{state.stream}/play", 303)
    free = [number for number, seat in enumerate(life.seats, 1) if seat.occupant is None]
    seat = invited or (free[0] if free and not life.created.private else None)
    if life.status != "open" or seat is None or state.play is None:
        return show_page("join_over.html", 404, is_over=True, match=state.stream)
    host, ruleset = name_account(life.creator) or gettext("Somebody"), state.play.ruleset
    return show_page(
        "join.html",
        match=state.stream,
        seat=seat,
        invitation=request.args.get("invitation") if invited else None,
        host=host,
        ruleset=ruleset,
        picture=queries.draw_position(state, position_at(state, state.play.ply), theme=None, seat=seat),
        takes_salt=life.takes_entropy,
        limits=life.created.limits,
        card=describe_invitation(host, ruleset),
    )
