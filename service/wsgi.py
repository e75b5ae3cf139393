"""What the WSGI server loads in each of its worker processes."""

from flask import Flask

from service.app import create_app
from service.processes import die_with_parent


def build() -> Flask:
    """The application of a worker process that does not outlive its server."""
    die_with_parent()
    return create_app()
