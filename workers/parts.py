"""What every worker process has: its parts, composed once from the environment."""

from functools import cache

from plyscribe.service.composition import Parts, compose_process


@cache
def process_parts() -> Parts:
    """The parts of this process; ConfigError says which setting is missing."""
    return compose_process()
