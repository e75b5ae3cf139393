"""The views under `/v1/matches`, a module for each subject."""

from plyscribe.service.web.api.matches import (
    annulment,
    bundles,
    effects,
    forks,
    lifecycle,
    pausing,
    play,
    record,
    refutation,
    replay,
    seats,
)
from plyscribe.service.web.api.matches.blueprint import blueprint

__all__ = [
    "annulment",
    "blueprint",
    "bundles",
    "effects",
    "forks",
    "lifecycle",
    "pausing",
    "play",
    "record",
    "refutation",
    "replay",
    "seats",
]
