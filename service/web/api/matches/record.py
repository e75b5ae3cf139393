"""Export matches as text records, which a person can read and could have typed."""

from flask import Response

from plyscribe.domain.record import MEDIA_TYPE
from plyscribe.service.reports.subjects import Json, record_at
from plyscribe.service.web.api.awaiting import answer_report
from plyscribe.service.web.api.http import TEXT, accepted, parse_query
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
    times and moves that were taken back. If a stored event is damaged, the record ends before it. The record of a long
    match is a report, for which the request waits: 503 `report/busy` if that takes too long.
    """
    media = accepted(MEDIA_TYPE, TEXT)
    parse_query(parameters.MatchQuery)
    state = read_match(match)
    subject = record_at(state.stream, state.version)

    def show(report: Json) -> Response:
        response = Response(report["text"], content_type=f"{media}; charset=utf-8")
        return confined(varied(tagged(response, report["version"])), state)

    return answer_report(subject, show, events=state.version)
