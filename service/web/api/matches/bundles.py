"""Matches are carried away, and checked."""

from collections.abc import Iterator
from itertools import chain, islice

from flask import Response

from plyscribe.domain.bundle.bundle import describe_head, format_bundle
from plyscribe.domain.bundle.report import describe_report
from plyscribe.domain.errors import NotCanonical, WrongTime
from plyscribe.service.matches import queries
from plyscribe.service.web.api.http import BUNDLE, accepted, answer, parse_query, parts
from plyscribe.service.web.api.matches.blueprint import blueprint
from plyscribe.service.web.api.matches.reading import confined, read_match, tagged
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.schemas import answers, parameters


@blueprint.get("/<match>/bundle")
@operation(
    "replay",
    media={BUNDLE: None},
    query=parameters.MatchQuery,
    problems=(401, 404, 406, 409),
    open=True,
    tagged=True,
)
def get_bundle(match: str) -> Response:
    """Give the whole match as one file, which `plyscribe verify` checks without a server.

    Lines: the head (format, match, ruleset, version, behaviour), each event as it is stored with its hash, the end
    (count, hash of the last event, SHA-256 of all bytes before). Of a match under way it is the bundle so far.
    """
    accepted(BUNDLE)
    parse_query(parameters.MatchQuery)
    state = read_match(match)
    response = tagged(Response(content_type=BUNDLE), state.version)
    if response.status_code == 200:
        pages = queries.read_pages(parts().matches, match, 0, state.version)
        lines = format_bundle(describe_head(match, state.life.created), chain.from_iterable(pages))
        chunks = iter(lambda: b"".join(islice(lines, queries.PAGE)), b"")
        # What has no place in a bundle is refused before the answer begins, if the match is no longer than that.
        response.response = chain([_begin(chunks)], chunks)
        response.headers["Content-Disposition"] = f'attachment; filename="{match}.bundle.ndjson"'
    return confined(response, state)


def _begin(chunks: Iterator[bytes]) -> bytes:
    try:
        return next(chunks)
    except NotCanonical as error:
        raise WrongTime("match/damaged", f"there is no bundle of what is stored: {error}") from None


@blueprint.get("/<match>/verification")
@operation("replay", answers.Verification, query=parameters.MatchQuery, problems=(401, 404), open=True, tagged=True)
def get_verification(match: str) -> Response:
    """Execute the match again as it is stored, and tell what was checked and where its first fault is.

    `result` is `fault` if anything is wrong, `unknown` if anything could not be checked here, else `ok`; a check is
    `none` where there is nothing to check, or not yet. A report is kept for a minute. One is made at a time: 503.
    """
    parse_query(parameters.MatchQuery)
    state = read_match(match)
    response = tagged(Response(), state.version)
    if response.status_code == 200:
        response = tagged(answer(describe_report(parts().reports.report(match, state.version))), state.version)
    return confined(response, state)
