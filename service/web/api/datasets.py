"""Datasets: finished public matches of a ruleset as files."""

from itertools import chain
from typing import Any

from flask import Blueprint, Response, request

from plyscribe.domain.rulesets import RULESETS
from plyscribe.service.archive.errors import PackDamaged
from plyscribe.service.datasets.schema import SCHEMA_VERSION
from plyscribe.service.datasets.shelf import KeptDataset, KeptFile
from plyscribe.service.errors import NotFound, RangeRefused
from plyscribe.service.web.api.exports import answer_export
from plyscribe.service.web.api.http import accepted, answer, parts
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.api.rulesets import find_rules
from plyscribe.service.web.charging import READ, charge_size, charged
from plyscribe.service.web.packing import find_known
from plyscribe.service.web.schemas import answers

blueprint = Blueprint("datasets", __name__, url_prefix="/v1/datasets")

PARQUET = "application/vnd.apache.parquet"
MARKDOWN = "text/markdown"
JSON = "application/json"

SENT = 4 * 1024 * 1024
"""Bytes of a file for the price of one read."""

KEPT_S = 3600
"""How long others may keep a file without asking. It never changes, but may go because a match in it was deleted."""

Json = dict[str, Any]


@blueprint.get("")
@operation("datasets", answers.DatasetList, problems=(404,), open=True)
def list_datasets() -> Response:
    """List the newest dataset of each ruleset.

    None is made because of this. Ask for the dataset of a ruleset to have one made.
    """
    titles = {each.id: each.title for each in reversed(RULESETS)}
    newest = parts().datasets.find_newest
    listed = [{"ruleset": id, "title": title, "dataset": _describe(newest(id))} for id, title in titles.items()]
    return answer({"schema": SCHEMA_VERSION, "datasets": listed})


@blueprint.get("/<ruleset>")
@charged("heavy")
@operation("datasets", answers.DatasetState, problems=(404,), open=True)
def get_dataset(ruleset: str) -> Response:
    """Get the newest dataset of a ruleset, and have one made if it is time.

    A dataset has the public matches of the ruleset that ended before its cut and were verified: three Parquet files and
    a datasheet. It is made once for all who ask, by a worker, while people play. `making` says how far that is: ask
    again until it is null. A new one is begun an hour after the last cut at the earliest. The last two are kept.
    """
    rules = find_rules(ruleset)
    newest, making = parts().datasets.ask(rules.id)
    return answer(
        {
            "ruleset": rules.id,
            "title": rules.title,
            "schema": SCHEMA_VERSION,
            "dataset": _describe(newest),
            "making": None if making is None else making._asdict(),
        }
    )


@blueprint.get("/<ruleset>/<dataset>/<file>")
@operation(
    "datasets",
    media={PARQUET: None, MARKDOWN: None, JSON: answers.Datasheet},
    problems=(404, 416),
    open=True,
    tagged=True,
    ranged=True,
)
def get_dataset_file(ruleset: str, dataset: str, file: str) -> Response:
    """Get a file of a dataset, or a part of it.

    A file never changes, and is gone once two newer datasets were made. Its `sha256` is in the description of the
    dataset. Readers of Parquet can ask for the parts that they need. Every 4 MiB count as a read.
    """
    found = next((each for each in parts().datasets.shelf.list_kept(ruleset) if each.name == dataset), None)
    wanted = None if found is None else found.find(file)
    if found is None or wanted is None:
        raise _explain_unknown(ruleset, dataset, file)
    accepted(media := _media_of(file))
    tag = f"{wanted.digest}-{file.partition('.')[0]}"
    response = _send(found, wanted, media, tag)
    response.headers["ETag"] = f'"{tag}"'
    response.headers["Accept-Ranges"] = "bytes"
    response.headers["Cache-Control"] = f"public, max-age={KEPT_S}, no-transform"
    return response


def _send(dataset: KeptDataset, file: KeptFile, media: str, tag: str) -> Response:
    if find_known(tag) is not None:
        return Response(status=304)
    start, stop = _find_part(file, tag)
    charge_size(READ, stop - start, SENT)
    pieces = parts().datasets.shelf.read(dataset, file, start, stop)
    try:
        first = next(pieces)
    except PackDamaged:
        # Another process has removed it.
        raise _explain_unknown(dataset.ruleset, dataset.name, file.name) from None
    response = answer_export(chain([first], pieces), media)
    response.headers["Content-Length"] = str(stop - start)
    if (start, stop) != (0, file.bytes):
        response.status_code = 206
        response.headers["Content-Range"] = f"bytes {start}-{stop - 1}/{file.bytes}"
    return response


def _explain_unknown(ruleset: str, dataset: str, file: str) -> NotFound:
    why = f"there is no file {file} of a dataset {dataset} of {ruleset}: it may have made room for newer ones"
    return NotFound(why, "dataset/unknown")


def _find_part(file: KeptFile, tag: str) -> tuple[int, int]:
    """Where the part that is asked for begins and ends; RangeRefused if the file has no such part."""
    asked, condition = request.range, request.if_range
    is_other = condition.date is not None or (condition.etag is not None and condition.etag != tag)
    # Several parts at once, and units that nobody knows, may be answered with the whole.
    if asked is None or asked.units != "bytes" or len(asked.ranges) != 1 or is_other:
        return 0, file.bytes
    part = asked.range_for_length(file.bytes)
    if part is None:
        raise RangeRefused(file.name, file.bytes)
    return part


def _media_of(file: str) -> str:
    return {"parquet": PARQUET, "md": f"{MARKDOWN}; charset=utf-8"}.get(file.rpartition(".")[2], JSON)


def _describe(dataset: KeptDataset | None) -> Json | None:
    if dataset is None:
        return None
    sheet = dataset.sheet
    rows = {table["file"]: table["rows"] for table in sheet["tables"].values()}
    return {
        "dataset": dataset.name,
        "schema": sheet["schema"],
        "until": sheet["until_ms"],
        "made_at": dataset.made_at_ms,
        "licence": sheet["licence"],
        "matches": sheet["matches"]["count"],
        "digest": sheet["matches"]["digest"],
        "splits": sheet["matches"]["splits"],
        "files": [
            {
                "file": file.name,
                "rows": rows.get(file.name),
                "bytes": file.bytes,
                "sha256": file.digest if file.name in rows else None,
                "href": f"/v1/datasets/{dataset.ruleset}/{dataset.name}/{file.name}",
            }
            for file in dataset.files
        ],
    }
