"""The report of a study as one HTML page: sentences, tables and plots, which also reads well printed and on a phone."""

from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from plyscribe.service.laboratory.catalogue import MEASURES
from plyscribe.service.laboratory.conclusions import (
    MEASURE_NAMES,
    format_interval,
    format_number,
    format_share,
    format_value,
    round_for_reading,
)
from plyscribe.service.laboratory.plots import Plot

NUMBERS = {measure.key: number for number, measure in enumerate(MEASURES, 1)}
STATUSES = {
    "seen": "seen",
    "variant": "only with",
    "forbade": "only forbade moves",
    "unseen": "never seen",
    "silent": "nothing names it",
}


def render_paper(findings: Mapping[str, Any], plots: list[Plot], command: str) -> str:
    """The page; it needs no other file and no network. `command` makes the study again."""
    environment = Environment(
        loader=PackageLoader("plyscribe.service.laboratory"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        share=format_share, number=format_number, interval=format_interval, value=format_value, plain=round_for_reading
    )
    return environment.get_template("paper.html").render(
        findings=findings,
        subject=findings["subject"],
        plots={plot.name: (plot.caption, Markup(plot.svg)) for plot in plots},  # noqa: S704 (we drew it)
        measures=MEASURES,
        number_of=NUMBERS,
        names=MEASURE_NAMES,
        statuses=STATUSES,
        command=command,
    )
