"""What the WSGI server loads in each of its worker processes."""

import os

from flask import Flask

from service import metrics
from service.app import create_app
from service.logs import begin_logs
from service.processes import die_with_parent

SERVER_PID = "PLYSCRIBE_WEB_PID"
"""Where the server leaves its process id for its workers."""


def build() -> Flask:
    """The application of a worker process that does not outlive its server."""
    die_with_parent(int(os.environ[SERVER_PID]))
    begin_logs("web")
    metrics.begin("web")
    return create_app()
