"""Builds: what an account says of the program that plays for it.

A build is the account's own claim. Nobody can check from outside which program has sent a move.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from plyscribe.domain.chain import canonical_json
from plyscribe.domain.errors import WrongTime, WrongValue
from plyscribe.domain.events import Build
from plyscribe.domain.names import is_printable

MAX_TEXT_LENGTH = 48
"""So short that a build fits a header of a text record."""

MAX_OPTIONS = 32
MAX_OPTIONS_BYTES = 1024
MAX_OPTION_LENGTH = 200
MAX_NUMBER = 2**53 - 1

MAX_BUILDS = 16
"""How many builds a seat may declare in one match, and an entrant in one tournament. Each change makes an event."""

DIGEST_PATTERN = "^[0-9a-f]{64}$"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_OPTION = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")


def build_of(fields: Mapping[str, Any]) -> Build:
    """The build with these fields, among others. Its options are in the order in which every process reads them."""
    return Build(fields["digest"], fields["command"], fields["version"], dict(sorted(fields["options"].items())))


def check_build(build: Build) -> None:
    """WrongValue unless the build has a digest and short, printable texts."""
    if not _DIGEST.fullmatch(build.digest):
        raise WrongValue("build/invalid", "a digest is a SHA-256: 64 hexadecimal digits, the letters small")
    _check_text("command", build.command)
    if "/" in build.command or "\\" in build.command:
        raise WrongValue("build/invalid", "a command is the name of a program, without its folder")
    if build.version is not None:
        _check_text("version", build.version)
    for name, value in build.options.items():
        _check_option(name, value)
    if len(build.options) > MAX_OPTIONS or len(canonical_json(build.options)) > MAX_OPTIONS_BYTES:
        why = f"at most {MAX_OPTIONS}, in at most {MAX_OPTIONS_BYTES} bytes of JSON"
        raise WrongValue("build/invalid", f"a build has too many options: {why}")


def _check_text(name: str, text: str) -> None:
    if not (1 <= len(text) <= MAX_TEXT_LENGTH and is_printable(text)):
        raise WrongValue("build/invalid", f"a {name} has 1 to {MAX_TEXT_LENGTH} printable characters")


def _check_option(name: str, value: object) -> None:
    if not _OPTION.fullmatch(name):
        allowed = "1 to 32 letters, digits, '-' and '_', and begins with a letter"
        raise WrongValue("build/invalid", f"the name of an option has {allowed}")
    is_text = isinstance(value, str) and len(value) <= MAX_OPTION_LENGTH and (value == "" or is_printable(value))
    if not (is_text or type(value) is bool or (type(value) is int and abs(value) <= MAX_NUMBER)):
        allowed = f"a text of at most {MAX_OPTION_LENGTH} printable characters, a whole number, or true or false"
        raise WrongValue("build/invalid", f"option {name} is not {allowed}")


def require_new(build: Build, declared: Sequence[Build], where: str) -> None:
    """WrongTime if this build was declared last, or as many as may be were declared before."""
    if declared and declared[-1] == build:
        raise WrongTime("build/declared", f"{where} has this build already")
    if len(declared) >= MAX_BUILDS:
        raise WrongTime("build/many", f"{where} has declared {MAX_BUILDS} builds, the most it may")
