"""What to say when an extra is not installed."""

import sys


def explain_missing(extra: str, needed_by: str, module: str | None = None) -> str:
    """What needs the extra, and the command that installs it for the Python that is running."""
    missing = f" ({module} is missing)" if module else ""
    return (
        f"{needed_by} the extra {extra!r}{missing}. To install it:\n"
        f'  {sys.executable} -m pip install "plyscribe[{extra}]"'
    )
