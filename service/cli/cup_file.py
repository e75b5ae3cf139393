"""The file of `plyscribe tournament run`: the terms of a tournament, and its entrants."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plyscribe.domain.declared_builds import check_build
from plyscribe.domain.errors import WrongValue
from plyscribe.domain.events import Build
from plyscribe.service.bridge.source import Source
from plyscribe.service.cli.organiser import TournamentError

Json = dict[str, Any]

OF_BOT = {"bot", "seed", "playouts", "label", "team", "place"}
OF_PROGRAM = {
    *("command", "name", "label", "version", "options", "digest", "build"),
    *("move_timeout", "concurrency", "ask_draws"),
}
ANY_DIGEST = "0" * 64
MAX_CONCURRENCY = 64


@dataclass(frozen=True, slots=True)
class ServerBot:
    """A bot of the server."""

    terms: Json
    label: str | None
    of_team: Json
    """For which team it plays, and at which place, in a tournament of teams."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program that plays through an account of its own: how to start it, and what its build is."""

    name: str
    argv: tuple[str, ...]
    folder: Path
    source: Source
    label: str | None = None
    move_timeout_s: float = 60.0
    concurrency: int = 1
    ask_draws: bool = False


Entrant = ServerBot | Program


def read_file(file: Path) -> tuple[Json, list[Entrant]]:
    """The terms and the entrants in a file; TournamentError if it cannot be read."""
    try:
        described = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TournamentError(f"{file} is not TOML: {error}") from None
    listed = described.pop("entrants", [])
    if not isinstance(listed, list) or not all(isinstance(each, Mapping) for each in listed):
        raise TournamentError(f"{file}: list the entrants as [[entrants]], each with a bot or a command")
    entrants = [_parse(each, f"{file}: entrant {number}", file.parent) for number, each in enumerate(listed, 1)]
    names = [each.name.casefold() for each in entrants if isinstance(each, Program)]
    if twice := {name for name in names if names.count(name) > 1}:
        raise TournamentError(f"{file}: two programs are called {min(twice)!r}: each plays with an account of its own")
    return described, entrants


def _parse(entrant: Mapping[str, Any], where: str, folder: Path) -> Entrant:
    if ("bot" in entrant) == ("command" in entrant):
        raise TournamentError(f"{where} needs either a bot of the server or the command of a program")
    known = OF_BOT if "bot" in entrant else OF_PROGRAM
    if unknown := entrant.keys() - known:
        raise TournamentError(f"{where} has the unknown {min(unknown)!r}; known: {', '.join(sorted(known))}")
    label = _take(entrant, "label", str, None, where)
    if "bot" in entrant:
        more = {name: entrant[name] for name in ("seed", "playouts") if name in entrant}
        of_team = {name: entrant[name] for name in ("team", "place") if name in entrant}
        return ServerBot({"name": entrant["bot"], **more}, label, of_team)
    argv = _parse_command(entrant["command"], where, folder)
    timeout, concurrency = entrant.get("move_timeout", 60.0), _take(entrant, "concurrency", int, 1, where)
    if type(timeout) not in (int, float) or not timeout >= 0.1:
        raise TournamentError(f"{where}: move_timeout is a number of seconds, at least 0.1")
    if not 1 <= concurrency <= MAX_CONCURRENCY:
        raise TournamentError(f"{where}: concurrency is 1 to {MAX_CONCURRENCY}")
    return Program(
        _take(entrant, "name", str, None, where, needed=True),
        argv,
        folder,
        _parse_source(entrant, argv, where, folder),
        label,
        float(timeout),
        concurrency,
        _take(entrant, "ask_draws", bool, False, where),
    )


def _parse_command(command: Any, where: str, folder: Path) -> tuple[str, ...]:
    """The command with a path of the program that holds wherever it is started; a name is looked for on PATH."""
    if not (isinstance(command, list) and command and all(isinstance(each, str) and each for each in command)):
        raise TournamentError(f'{where}: command is a list of texts, such as ["./mybot", "--level", "3"]')
    program = str((folder / command[0]).absolute()) if "/" in command[0] else command[0]
    return (program, *command[1:])


def _parse_source(entrant: Mapping[str, Any], argv: tuple[str, ...], where: str, folder: Path) -> Source:
    listed = entrant.get("build", [argv[0]] if "/" in argv[0] else [])
    listed = [listed] if isinstance(listed, str) else listed
    if not (isinstance(listed, list) and all(isinstance(each, str) and each for each in listed)):
        raise TournamentError(f"{where}: build is a file or folder, or a list of them")
    if not listed:
        why = f"{argv[0]} is a program of this machine, so its digest would say nothing of the bot"
        raise TournamentError(f'{where}: {why}: list the files of the bot, such as build = ["bot.py"]')
    options = _take(entrant, "options", dict, {}, where)
    told = {name: str(value) if isinstance(value, float) else value for name, value in options.items()}
    version, pinned = (_take(entrant, name, str, None, where) for name in ("version", "digest"))
    # Of a bot in a language with an interpreter, the interpreter says nothing.
    name = Path(argv[0] if "/" in argv[0] else listed[0]).name
    source = Source([folder / each for each in listed], name, version, told, pinned)
    try:
        check_build(Build(ANY_DIGEST if pinned is None else pinned, source.command, version, told))
    except WrongValue as error:
        raise TournamentError(f"{where}: {error}") from None
    return source


def _take(entrant: Mapping[str, Any], name: str, kind: type, default: Any, where: str, needed: bool = False) -> Any:
    if name not in entrant:
        if needed:
            raise TournamentError(f"{where} needs a {name}: the account that it plays with has it")
        return default
    if type(entrant[name]) is not kind:
        words = {str: "a text", int: "a whole number", bool: "true or false", dict: "a table"}
        raise TournamentError(f"{where}: {name} is {words[kind]}")
    return entrant[name]
