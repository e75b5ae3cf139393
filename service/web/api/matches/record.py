"""Export matches as text records, which a person can read and could have typed."""

from flask import Response

from plyscribe.domain.record import MEDIA_TYPE
from plyscribe.service.reports.subjects import Json, record_at
from plyscribe.service.web.api.awaiting import answer_report
from plyscribe.service.web.api.http import TEXT, accepted, negotiate_language, parse_query, spoken
from plyscribe.service.web.api.matches.blueprint import blueprint
from plyscribe.service.web.api.matches.effects import tag_told
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
    query=parameters.RecordQuery,
    problems=(401, 404, 409),
    open=True,
    tagged=True,
    spoken=True,
)
def get_record(match: str) -> Response:
    """Get a match as a text record.

    A record has headers, then moves, rolls and withdrawals as on a score sheet. It names the players, and leaves out
    times and moves that were taken back. If a stored event is damaged, the record ends before it. The record of a long
    match is a report, for which the request waits: 503 `report/busy` if that takes too long. With `comments=effects`, a
    comment after each step says what it did, in the language of `Accept-Language` (`en`, `de`). Comments are no part of
    the match: the record can be imported with them.
    """
    media = accepted(MEDIA_TYPE, TEXT)
    query = parse_query(parameters.RecordQuery)
    language = negotiate_language(query["language"]) if query["comments"] else None
    state = read_match(match)
    subject = record_at(state.stream, state.version, language)

    def show(report: Json) -> Response:
        response = Response(report["text"], content_type=f"{media}; charset=utf-8")
        tag = tag_told(response, report["version"]) if language else report["version"]
        response = confined(varied(tagged(response, tag)), state)
        return spoken(response, language) if language else response

    return answer_report(subject, show, events=state.version)
