"""Export matches as bundles, and verify them."""

from collections.abc import Callable, Iterator
from itertools import chain, islice

from flask import Response

from plyscribe.domain.bundle.bundle import describe_head, format_bundle
from plyscribe.domain.errors import NotCanonical, WrongTime
from plyscribe.domain.imported import split_address
from plyscribe.domain.match import Match
from plyscribe.service.matches import queries
from plyscribe.service.reports.subjects import Json, verification_of
from plyscribe.service.web.api.awaiting import answer_report
from plyscribe.service.web.api.exports import answer_export
from plyscribe.service.web.api.http import BUNDLE, accepted, answer, parse_query, parts
from plyscribe.service.web.api.matches.blueprint import blueprint
from plyscribe.service.web.api.matches.reading import confined, read_match
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.charging import charge_size, charged
from plyscribe.service.web.packing import tagged
from plyscribe.service.web.schemas import answers, parameters


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
        charge_size("heavy", state.version, 2000)
        pages = queries.read_pages(parts().matches, state.stream, 0, state.version)
        id, _ = split_address(state.stream)
        lines = format_bundle(describe_head(id, state.life.created), chain.from_iterable(pages))
        chunks = iter(lambda: b"".join(islice(lines, queries.PAGE)), b"")
        # Events that no bundle can hold are refused before the answer begins, if they are among the first PAGE.
        response = tagged(answer_export(chain([_begin(chunks)], chunks), BUNDLE), state.version)
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

    The report on a long match is made by a worker, once for all who ask, and kept for ten minutes. The request waits
    for it. If it takes longer than 20 s, or if too many reports wait to be made, the answer is 503 `report/busy`. The
    report is made all the same, so ask again later.
    """
    parse_query(parameters.MatchQuery)
    state = read_match(match)
    response = tagged(Response(), state.version)
    if response.status_code == 200:
        response = answer_verification(state, lambda report: tagged(answer(report), report["version"]))
    return confined(response, state)


def answer_verification(state: Match, show: Callable[[Json], Response]) -> Response:
    """What `show` makes of the report on a match: see answer_report."""
    return answer_report(verification_of(state.stream, state.version), show, events=state.version)
