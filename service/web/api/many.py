"""Many matches at once: followed in one stream, or exported."""

from collections.abc import Callable, Iterable
from hashlib import sha256
from itertools import chain
from typing import Any

from flask import Blueprint, Response

from plyscribe.service.access.accounts import Principal
from plyscribe.service.lists.bulk import Order, export_matches
from plyscribe.service.lists.matches import MatchFilter
from plyscribe.service.live.followers import EVENTS, LINES
from plyscribe.service.live.match_changes import ChangeEntries
from plyscribe.service.web.api.exports import answer_export
from plyscribe.service.web.api.http import NDJSON, accepted, has_token, parse_query, parts, principal, principal_if_any
from plyscribe.service.web.api.lists import ME, make_filter
from plyscribe.service.web.api.live import SSE, last_event_id, right_of_token, stream_events
from plyscribe.service.web.api.matches.reading import personal, varied
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.charging import charge_size, charged
from plyscribe.service.web.schemas import parameters

blueprint = Blueprint("many", __name__, url_prefix="/v1/matches")

FOLLOWED = 2500
"""Changes in the past that a stream looks through for the price of one heavy request."""

EXPORTED = 100
"""Matches of an export for the price of one."""

Json = dict[str, Any]


@blueprint.get("/stream")
@operation(
    "matches",
    media={SSE: None, NDJSON: None},
    query=parameters.MatchStreamQuery,
    problems=(400, 401),
    open=True,
    followed=True,
)
def follow_matches() -> Response:
    """Follow many matches in one live stream.

    Each entry `change` is an append to a match that the list of matches would show you now: its `id`, the `match`, its
    `version` after the append, its ruleset and the `events`, at most the first 100. The stream begins now, or after
    `Last-Event-ID` or `after`, and never ends. An entry `at` says that there is nothing for you up to its `id`; the
    first entry is one. The newest 50,000 changes are kept. An entry `gap` stands for those that are not kept any more;
    after one, read the list of matches. Imported matches are not followed. Get server-sent events, or lines of NDJSON:
    an empty line is a heartbeat, and the line `{"type":"end"}` ends the connection.
    """
    media = accepted(SSE, NDJSON)
    query = parse_query(parameters.MatchStreamQuery)
    after = last_event_id(-1 if query["after"] is None else query["after"])
    who, (player, opponent) = _find_accounts([query["player"], query["opponent"]])
    wanted = MatchFilter(
        player=player,
        opponent=opponent,
        ruleset=query["ruleset"],
        tournament=query["tournament"],
        rated=query["rated"],
        names=query["q"],
        place=query["place"],
        about=query["about"],
    )
    newest, _ = parts().changes.numbers()
    source = ChangeEntries(parts().changes, parts().matches, _select(wanted, who), as_lines=media == NDJSON)
    framing = EVENTS if media == SSE else LINES
    if after < 0:
        framing = framing._replace(greeting=framing.greeting + source.at(newest).format())
    # Numbers beyond the newest are those of another database.
    start = newest if after < 0 else after if after <= newest else 0
    charge_size("heavy", newest - start, FOLLOWED)
    topic = f"changes-{sha256(repr((wanted, who, media)).encode()).hexdigest()}"
    goes_on = right_of_token() if has_token() else _always
    return personal(varied(stream_events(source, topic, start, goes_on, media=media, framing=framing)))


@blueprint.get("/export")
@charged("heavy")
@operation("matches", media={NDJSON: None}, query=parameters.MatchExportQuery, problems=(400, 401), open=True)
def export() -> Response:
    """Export many matches at once.

    NDJSON of the matches that the list of matches shows you, the oldest first: a line with the text record or the
    bundle of each match, or a line for each of its positions. Each line has the `cursor` of what follows, so an export
    that broke off can be continued. A match that cannot be exported has a line with its `fault`. The last line has the
    number of matches, the cursor of the rest in `next` (null if there is no more), and the SHA-256 of all bytes before
    this line. Every 100 matches of `limit` count once more.
    """
    accepted(NDJSON)
    query = parse_query(parameters.MatchExportQuery)
    who, (waiting, player, opponent) = _find_accounts([query[name] for name in ("waiting", "player", "opponent")])
    wanted = make_filter(query, waiting, player, opponent)
    charge_size("heavy", query["limit"], EXPORTED)
    parts().lists.lag()
    order = Order(wanted, who, query["cursor"], query["limit"])
    lines = export_matches(parts().lists.matches, parts().matches, parts().accounts, query["form"], order)
    # A cursor of another list is refused before the answer begins.
    return personal(answer_export(chain([next(lines)], lines), NDJSON))


def _find_accounts(named: list[str | None]) -> tuple[Principal | None, list[str | None]]:
    """Who asks, and the accounts that are named, among them `me`."""
    who = principal() if ME in named else principal_if_any()
    return who, [who.account if who and each == ME else each for each in named]


def _select(wanted: MatchFilter, who: Principal | None) -> Callable[[Iterable[str]], dict[str, Json]]:
    listed = parts().lists.matches
    return lambda ids: listed.select(ids, wanted, who)


def _always(_: int) -> bool:
    return True
