"""A tournament and its matches, followed in one live stream."""

from functools import partial

from flask import Response

from plyscribe.service.live.followers import EVENTS
from plyscribe.service.live.match_changes import TournamentChanges
from plyscribe.service.web.api.http import accepted, has_token, parse_query, parts
from plyscribe.service.web.api.live import SSE, last_event_id, right_of_token, stream_events
from plyscribe.service.web.api.many import FOLLOWED
from plyscribe.service.web.api.matches.reading import personal, varied
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.api.tournaments import blueprint, read_tournament
from plyscribe.service.web.charging import charge_size
from plyscribe.service.web.schemas import parameters


@blueprint.get("/<tournament>/stream")
@operation(
    "tournaments",
    media={SSE: None},
    query=parameters.TournamentStreamQuery,
    problems=(400, 404),
    open=True,
    followed=True,
)
def follow_tournament(tournament: str) -> Response:
    """Follow a tournament and the matches of its last round in one live stream of server-sent events.

    Each entry `change` is an append: its `id`, the `tournament` or the `match`, and its `version` after the append. It
    says that there is something to read, and no more. The stream begins now, or after `Last-Event-ID` or `after`, and
    never ends. An entry `at` says that there is nothing for you up to its `id`; the first entry is one. The newest
    50,000 changes of the server are kept. An entry `gap` stands for those that are not kept any more; after one, read
    the tournament again.
    """
    accepted(SSE)
    query = parse_query(parameters.TournamentStreamQuery)
    stream = read_tournament(tournament).stream
    after = last_event_id(-1 if query["after"] is None else query["after"])
    newest, _ = parts().changes.numbers()
    list_matches = partial(parts().tournaments.list_last_matches, stream)
    source = TournamentChanges(parts().changes, parts().matches, stream, list_matches)
    framing = EVENTS._replace(greeting=EVENTS.greeting + source.at(newest).format()) if after < 0 else EVENTS
    # Numbers beyond the newest are those of another database.
    start = newest if after < 0 else after if after <= newest else 0
    charge_size("heavy", newest - start, FOLLOWED)
    goes_on = right_of_token() if has_token() else _always
    return personal(varied(stream_events(source, f"changes-of-{stream}", start, goes_on, framing=framing)))


def _always(_: int) -> bool:
    return True
