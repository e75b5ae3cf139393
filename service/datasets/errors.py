"""Why a dataset is not there or cannot be made."""

from plyscribe.service.errors import NotFound


class DatasetsOff(NotFound):
    """The service makes no datasets: it has no archive to keep them in, or lacks the library that writes them."""

    code = "dataset/off"


class MakingStopped(Exception):
    """Whoever makes a dataset was asked to stop. Nothing of it is kept."""
