"""The WSGI server that stands before an application, with the settings of `plyscribe web`."""

import os

from granian import Granian
from granian.constants import HTTPModes, Interfaces

from service.wsgi import SERVER_PID

THREADS = 64
"""A request holds a thread while its body comes in and its answer goes out: slow clients need many."""

LOGS = {"loggers": {"_granian": {"handlers": [], "propagate": True}, "granian.access": {}}}
"""The server's own records go where ours go."""


def serve_application(factory: str, host: str, port: int) -> None:
    """Serve what `module:function` builds in each worker process, until told to stop."""
    os.environ[SERVER_PID] = str(os.getpid())
    Granian(
        factory,
        factory=True,
        interface=Interfaces.WSGI,
        # Only HTTP/1 says beforehand how long a body is, or that it does not.
        http=HTTPModes.http1,
        address=host,
        port=port,
        blocking_threads=THREADS,
        respawn_failed_workers=True,
        websockets=False,
        log_access=False,
        log_dictconfig=LOGS,
    ).serve()
