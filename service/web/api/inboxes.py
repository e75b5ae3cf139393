"""A player's inbox over HTTP."""

from flask import Blueprint, Response

from plyscribe.service.live.inboxes import InboxEntries, dump_entries
from plyscribe.service.store.inbox import inbox_of
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
    problems=(400, 406),
    followed=True,
)
def read_inbox() -> Response:
    """Tell the token's account what its matches want of it and what became of them: in pages, or live.

    A page may wait for the next entry. The newest 500 entries are kept; where some were dropped before you came, an
    entry `gap` stands for them: list the matches that wait for you (`GET /v1/matches?waiting=me`). A live stream
    begins after `Last-Event-ID`, or `after`, and has no end.
    """
    media = accepted(JSON, SSE)
    query = parse_query(parameters.InboxQuery)
    who = principal()
    source, inbox = InboxEntries(parts().inboxes), inbox_of(who.account)
    if media == SSE:
        return stream_events(source, inbox, last_event_id(query["after"]), right_of_token())
    entries = source.read(inbox, query["after"], query["limit"])
    newest = source.newest(inbox)
    # Who is ahead of the inbox waits for nothing that is near.
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
