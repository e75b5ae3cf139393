"""The parts of a worker process, composed once from the environment."""

from functools import cache

from plyscribe.service.composition import Parts, compose_process


@cache
def process_parts() -> Parts:
    """The parts of this process, always the same; ConfigError names a missing setting."""
    return compose_process()
