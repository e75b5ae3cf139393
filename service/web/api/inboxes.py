"""The inbox of a player."""

from flask import Blueprint, Response

from plyscribe.service.live.inboxes import InboxEntries, dump_entries, inbox_of
from plyscribe.service.web.api.http import JSON, accepted, answer, parse_query, parts, path_with, principal
from plyscribe.service.web.api.live import SSE, last_event_id, right_of_token, stream_events, wait_for_news
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.schemas import answers, parameters

blueprint = Blueprint("inboxes", __name__, url_prefix="/v1/players/me")


@blueprint.get("/events")
@operation(
    "players",
    media={JSON: answers.InboxPage, SSE: None},
    query=parameters.InboxQuery,
    problems=(400,),
    followed=True,
)
def read_inbox() -> Response:
    """Read your inbox.

    The inbox tells you what your matches need from you, what happened in them, and which tournaments invite you. Get
    pages as JSON, or a live stream of server-sent events. With `wait`, an empty page waits for the next entry. A live
    stream starts after `Last-Event-ID`, or else after `after`, and never ends. Only the newest 500 entries are kept. An
    entry `gap` stands for entries that were dropped; after one, list what waits for you with `GET
    /v1/matches?waiting=me` and `GET /v1/tournaments?invited=me`.
    """
    media = accepted(JSON, SSE)
    query = parse_query(parameters.InboxQuery)
    after = last_event_id(query["after"])
    who = principal()
    source, inbox = InboxEntries(parts().inboxes), inbox_of(who.account)
    if media == SSE:
        return stream_events(source, inbox, after, right_of_token())
    entries, newest = source.read_page(inbox, query["after"], query["limit"])
    # A client that asks for entries beyond the next one gets its empty page at once.
    if not entries and query["after"] == newest:
        wait_for_news(source, inbox, newest, query["wait"])
    more = bool(entries) and entries[-1].number < newest
    page = {
        "player": who.account,
        "newest": newest,
        "entries": dump_entries(entries),
        "next": path_with(after=entries[-1].number) if more else None,
    }
    read = answer(page)
    read.headers["Cache-Control"] = "no-store"
    read.vary.add("Accept")
    return read
