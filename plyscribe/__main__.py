"""`python -m plyscribe` is the command `plyscribe`."""

from plyscribe.service.cli.__main__ import main

if __name__ == "__main__":
    main()
