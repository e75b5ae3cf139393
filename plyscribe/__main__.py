"""The command `plyscribe`, also as `python -m plyscribe`."""

import atexit
import gc
from importlib.util import find_spec


def main() -> None:
    """Run the whole command line, or without the extra `server` the part that needs no other package."""
    # Python looks for garbage among all objects before it ends, which would take a quarter of a short command's time.
    atexit.register(gc.freeze)
    if find_spec("click") and find_spec("rich"):
        from plyscribe.service.cli.__main__ import main as run
    else:
        from plyscribe.service.cli.base import main as run
    run()


if __name__ == "__main__":
    main()
