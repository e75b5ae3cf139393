"""How commands reach the store of a service that is running."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from plyscribe.domain.commands import Actor

if TYPE_CHECKING:
    from plyscribe.service.composition import Parts

OPERATOR = Actor("system", "operator")
"""Who acts on the command line: the person who can read the data directory."""


def compose_beside(data: Path) -> "Parts":
    """The parts on the store that REDIS_URL names, or else on the one that `serve` runs on the data directory.

    UnsupportedServer, with what to do, if it cannot be our store.
    """
    from plyscribe.service.composition import compose_process
    from plyscribe.service.processes.serving import settings_beside
    from plyscribe.service.store.requirements import require_store_at

    parts = compose_process(settings_beside(data, os.environ))
    require_store_at(parts.config.redis_url)
    return parts
