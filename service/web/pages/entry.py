"""Entering a tournament: the page behind the entry link, the link itself with its QR code, and one's own entry."""

from typing import Any

from flask import Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from plyscribe.domain.errors import Unknown
from plyscribe.domain.events import Account
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.tournament.schedule import bound_rounds
from plyscribe.domain.tournament.state import Entrant, Tournament
from plyscribe.service.access.accounts import Principal
from plyscribe.service.clock import now_ms
from plyscribe.service.tournaments.authority import may_read_tournament
from plyscribe.service.tournaments.codes import is_entry_code, issue_entry_code
from plyscribe.service.tournaments.queries import name_all
from plyscribe.service.web.api.http import current_request, parts, principal_if_any
from plyscribe.service.web.api.tournaments import is_organised_by, read_tournament, require_organising
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.friend import DAY_MS, draw_code
from plyscribe.service.web.pages.wording import describe_format

ROUNDS_AHEAD = 12
"""How many of the rounds to come are offered to sit out."""

LINK_DAYS = (1, 7, 30)
"""For how many days an entry link can be made; the second is the usual one."""


@blueprint.get("/tournaments/<tournament>/enter")
def show_entry(tournament: str) -> Response:
    """Show how to enter a tournament: the page behind its entry link."""
    code, who = request.args.get("code"), principal_if_any()
    try:
        state = read_tournament(tournament)
    except Unknown:
        return show_page("link_over.html", 404)
    admitted = _is_admitted(state, code)
    return show_page(
        "enter.html",
        tournament={"tournament": state.stream, "name": state.terms.name, "at_table": state.terms.at_table},
        title=find_ruleset(state.terms.ruleset, state.terms.ruleset_version).title,
        seats=state.terms.seats,
        kind=describe_format(state.terms.format),
        entrants=sum(each.is_in for each in state.entrants),
        may_read=may_read_tournament(state, who),
        is_over=code is not None and not admitted,
        entry=describe_entry(state, who, name_all(state, parts().accounts), code if admitted else None),
    )


def _is_admitted(state: Tournament, code: str | None) -> bool:
    try:
        return is_entry_code(parts().config.server_key, state, code)
    except Unknown:
        return False


def describe_entry(
    state: Tournament, who: Principal | None, names: dict[int, str], code: str | None = None
) -> dict[str, Any]:
    """What the visitor is to the tournament and can do about it, for the card of their own entry.

    `code` is that of a valid entry link, with which the visitor came.
    """
    account = who.account if who is not None else None
    own = next((each for each in state.entrants if each.occupant == Account(account)), None) if account else None
    invitation = state.find_invitation(account) if account else None
    asked = state.find_request(account) if account else None
    return {
        "entrant": own,
        "name": own and names[own.number],
        "invited": invitation is not None,
        "asked": asked is not None,
        "label": next((each.label for each in (invitation, asked) if each and each.label), None),
        "takes_entrants": state.takes_entrants,
        "may_enter": state.terms.is_open or code is not None or (who is not None and is_organised_by(state, who)),
        "is_full": len(state.entrants) >= state.terms.max_entrants,
        "is_open": state.terms.is_open,
        "code": code,
        "is_on": state.status in ("open", "playing"),
        "has_begun": state.status == "playing",
        "rounds": _list_free_rounds(state, own),
        "absences": _list_absences(state, own),
        "byes_left": count_byes_left(state, own) if own else 0,
    }


def list_rounds_ahead(state: Tournament) -> list[int]:
    """The next rounds that are not paired yet and can still come, at most ROUNDS_AHEAD."""
    if state.status not in ("open", "playing"):
        return []
    first = len(state.rounds) + 1
    return list(range(first, min(bound_rounds(state), first + ROUNDS_AHEAD - 1) + 1))


def _list_free_rounds(state: Tournament, own: Entrant | None) -> list[int]:
    return [each for each in list_rounds_ahead(state) if each not in own.absences] if own and own.is_in else []


def _list_absences(state: Tournament, own: Entrant | None) -> list[tuple[int, bool]]:
    """The rounds to come that the entrant sits out, each with whether it asked for a bye."""
    if own is None:
        return []
    return [(each, each in own.byes) for each in sorted(own.absences) if each > len(state.rounds)]


def count_byes_left(state: Tournament, entrant: Entrant) -> int:
    """How many more byes the entrant may ask for."""
    return max(0, int(state.terms.scoring.get("asked_byes", 0)) - len(entrant.byes))


@blueprint.get("/tournaments/<tournament>/entry-link", defaults={"days": LINK_DAYS[1]})
@blueprint.get("/tournaments/<tournament>/entry-link/<int:days>")
def show_entry_link(tournament: str, days: int) -> AnyResponse:
    """Show organisers the entry link and its QR code, big enough for a wall and for paper."""
    # An answer with a secret must hold nothing that others chose (BREACH).
    if current_request().query_string:
        return redirect(request.path, 303)
    state, who = read_tournament(tournament), principal_if_any()
    if who is None:
        return redirect(f"/sign-in?next={request.path}", 303)
    require_organising(state, who)
    if days not in LINK_DAYS:
        return redirect(f"/tournaments/{tournament}/entry-link", 303)
    address, expires_at = f"{current_request().own_origin}/tournaments/{state.stream}/enter", None
    if state.takes_entrants and not state.terms.is_open:
        # The same link all day, so that it is still the same when the page is loaded again.
        expires_at = (now_ms() // DAY_MS + days) * DAY_MS + DAY_MS
        address += f"?code={issue_entry_code(parts().config.server_key, state, expires_at // 1000)}"
    page = show_page(
        "entry_link.html",
        tournament={"tournament": state.stream, "name": state.terms.name},
        takes_entrants=state.takes_entrants,
        is_open=state.terms.is_open,
        address=address,
        code=draw_code(address),
        expires_at=expires_at,
        days=days,
        choices=LINK_DAYS,
    )
    page.headers["Cache-Control"] = "no-store"
    return page
