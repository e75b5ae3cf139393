"""Matches over HTTP, a module for each thing that is done with them: every view parses, calls and dumps."""

from plyscribe.service.web.api.matches import (
    annulment,
    bundles,
    forks,
    lifecycle,
    play,
    record,
    refutation,
    replay,
    seats,
)
from plyscribe.service.web.api.matches.blueprint import blueprint

__all__ = ["annulment", "blueprint", "bundles", "forks", "lifecycle", "play", "record", "refutation", "replay", "seats"]
