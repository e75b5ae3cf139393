"""Export matches as bundles, and verify them."""

from collections.abc import Iterator
from itertools import chain, islice

from flask import Response

from plyscribe.domain.bundle.bundle import describe_head, format_bundle
from plyscribe.domain.bundle.report import describe_report
from plyscribe.domain.errors import NotCanonical, WrongTime
from plyscribe.domain.imported import split_address
from plyscribe.service.matches import queries
from plyscribe.service.web.api.http import BUNDLE, accepted, answer, parse_query, parts
from plyscribe.service.web.api.matches.blueprint import blueprint
from plyscribe.service.web.api.matches.reading import confined, read_match
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.charging import charge, charged
from plyscribe.service.web.packing import tagged
from plyscribe.service.web.schemas import answers, parameters

EVENTS_CHARGED = 2000
"""A bundle counts once more for each so many events, but no more often than MOST_CHARGED, so that all can be had."""

MOST_CHARGED = 15


@blueprint.get("/<match>/bundle")
@charged("heavy")
@operation(
    "replay",
    media={BUNDLE: None},
    query=parameters.MatchQuery,
    problems=(401, 404, 409),
    open=True,
    tagged=True,
)
def get_bundle(match: str) -> Response:
    """Get the whole match as one file.

    `plyscribe verify` checks the file without a server. Its first line is the head (format, match, ruleset, version,
    behaviour). Then follows each event as it is stored, with its hash. The last line has the number of events, the
    hash of the last one, and the SHA-256 of all bytes before this line. A running match gives the bundle so far.
    """
    accepted(BUNDLE)
    parse_query(parameters.MatchQuery)
    state = read_match(match)
    response = tagged(Response(content_type=BUNDLE), state.version)
    if response.status_code == 200:
        charge("heavy", min(MOST_CHARGED, state.version // EVENTS_CHARGED))
        pages = queries.read_pages(parts().matches, state.stream, 0, state.version)
        id, _ = split_address(state.stream)
        lines = format_bundle(describe_head(id, state.life.created), chain.from_iterable(pages))
        chunks = iter(lambda: b"".join(islice(lines, queries.PAGE)), b"")
        # Events that no bundle can hold are refused before the answer begins, if they are among the first PAGE.
        response.response = chain([_begin(chunks)], chunks)
        response.headers["Content-Disposition"] = f'attachment; filename="{state.stream}.bundle.ndjson"'
    return confined(response, state)


def _begin(chunks: Iterator[bytes]) -> bytes:
    try:
        return next(chunks)
    except NotCanonical as error:
        raise WrongTime("match/damaged", f"the stored events do not fit into a bundle: {error}") from None


@blueprint.get("/<match>/verification")
@charged("heavy")
@operation(
    "replay", answers.Verification, query=parameters.MatchQuery, problems=(401, 404, 409), open=True, tagged=True
)
def get_verification(match: str) -> Response:
    """Execute the stored match again, and report all checks and the first fault.

    A report is kept for a minute. Each process makes only one report at a time; meanwhile other requests are answered
    503 `verification/busy`.
    """
    parse_query(parameters.MatchQuery)
    state = read_match(match)
    response = tagged(Response(), state.version)
    if response.status_code == 200:
        response = tagged(answer(describe_report(parts().reports.report(state.stream, state.version))), state.version)
    return confined(response, state)
