"""Export matches as text records, which a person can read and could have typed."""

from itertools import chain

from flask import Response

from plyscribe.domain.imported import is_address
from plyscribe.domain.record import MEDIA_TYPE, format_record, record_of
from plyscribe.service.matches import queries
from plyscribe.service.web.api.http import TEXT, accepted, parse_query, parts
from plyscribe.service.web.api.matches.blueprint import blueprint
from plyscribe.service.web.api.matches.reading import confined, read_match, varied
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.charging import charged
from plyscribe.service.web.packing import tagged
from plyscribe.service.web.schemas import parameters


@blueprint.get("/<match>/record")
@charged("heavy")
@operation(
    "replay",
    media={MEDIA_TYPE: None, TEXT: None},
    query=parameters.MatchQuery,
    problems=(401, 404, 409),
    open=True,
    tagged=True,
)
def get_record(match: str) -> Response:
    """Get a match as a text record.

    A record has headers, then moves, rolls and withdrawals as on a score sheet. It names the players, and leaves out
    times and moves that were taken back. If a stored event is damaged, the record ends before it.
    """
    media = accepted(MEDIA_TYPE, TEXT)
    parse_query(parameters.MatchQuery)
    state = read_match(match)
    # The accounts of an imported match belong to another server, even if an id of ours is the same.
    ours = () if is_address(state.stream) else state.life.players
    names = {player: parts().accounts.name_of(player) for player in ours}
    entries = chain.from_iterable(queries.read_pages(parts().matches, state.stream, 0, state.version))
    text = format_record(record_of(state, entries, names))
    return confined(varied(tagged(Response(text, content_type=f"{media}; charset=utf-8"), state.version)), state)
