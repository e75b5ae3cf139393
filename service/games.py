"""Games from other packages: rulesets with what goes with them, found by entry point or by PLYSCRIBE_RULESETS.

An entry point of the group `plyscribe.rulesets`, and each `module:NAME` in PLYSCRIBE_RULESETS, names a ruleset, a
`Game`, or a tuple or list of these.
"""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from plyscribe.domain.ruleset import AnyRuleset, Ruleset
from plyscribe.domain.rulesets import RULESETS, register

GROUP = "plyscribe.rulesets"
"""The group of entry points that bring games."""

SETTING = "PLYSCRIBE_RULESETS"

Part = Literal["board", "words", "lessons"]
"""The parts of a game that are modules."""

PARTS: dict[Part, tuple[str, ...]] = {"board": ("BOARD",), "words": ("SENTENCES",), "lessons": ("LESSONS",)}
"""What the module of each part must have."""

_ID = re.compile(r"[a-z]+")
_REQUIRED = ("id", "version", "title", "min_seats", "max_seats", "effect_kinds", "end_clauses")


class GameError(ValueError):
    """A game cannot be loaded. The message says which, who brings it, and what to do."""


@dataclass(frozen=True, slots=True)
class Game:
    """A ruleset version, and what its package brings for people who play it.

    All but the rules can be missing: then the board is drawn as text, effects are listed by their kinds and details,
    options are called by their names, and there are no rules to read and no lessons. Modules are named and not
    imported, because only a service needs them, and only it has the libraries that they need.
    """

    rules: AnyRuleset
    rulebook: Path | None = None
    """The rules in Markdown, each clause a heading `### XX1 · Title`. Translations are in folders beside it: `de/`."""
    board: str | None = None
    """The module with `BOARD` (`plyscribe.service.boards.board.Board`); its template is beside it, as `.svg`.

    `COLOURS`, if it is there, has a light and a dark colour for each name: the class `<id>-<name>` fills with it.
    """
    words: str | None = None
    """The module with `SENTENCES` for effects. Optional are `OPTIONS`, `PRESETS`, `GOAL`, `PURPOSES`, `WAYS`, `prompt`
    and `count_score`, as those of the built-in games in `plyscribe.service.language`.
    """
    lessons: str | None = None
    """The module with `LESSONS`, and optionally `CARDS` (`plyscribe.service.lessons.lesson`)."""
    translations: Path | None = None
    """The folder with a folder of .po files for each language: `de/`."""


@dataclass(frozen=True, slots=True)
class _Found:
    """An object that brings games: its value, and words for it and for how to get rid of it."""

    value: object
    named: str
    remedy: str


_GAMES: dict[tuple[str, int], Game] = {}
"""The games from outside, by id and version."""

_SOURCES: dict[tuple[str, int], str] = {}
"""Who brings them, in words."""


def register_games(names: str) -> None:
    """Register the games of all installed packages, then those that `module:NAME,module:NAME` names; once or again.

    GameError at the first that cannot be registered.
    """
    for found in (*find_installed(), *_list_named(names)):
        for game in _read_games(found):
            _register(game, found)


def load_rulesets() -> list[AnyRuleset]:
    """All rulesets: those of Plyscribe, of installed packages, and of the setting PLYSCRIBE_RULESETS.

    From then on `find_ruleset` finds them all. GameError if one cannot be loaded.
    """
    register_games(os.environ.get(SETTING, ""))
    return list(RULESETS)


def find_game(id: str, version: int) -> Game | None:
    """The game that brought this ruleset version; None if it is built in or was registered without one."""
    return _GAMES.get((id, version))


def list_games() -> list[Game]:
    """The games from outside, in the order in which they were registered."""
    return list(_GAMES.values())


def load_part(id: str, version: int, part: Part) -> ModuleType | None:
    """The module of a part of a game; None if this ruleset version has none. GameError if it cannot be imported."""
    game = _GAMES.get((id, version))
    name = game and getattr(game, part)
    return _import_part(id, version, part, name) if name else None


def check_parts() -> None:
    """GameError at the first part of a game that cannot be read, so that a service learns it before it starts."""
    for (id, version), game in _GAMES.items():
        for part, names in PARTS.items():
            module = load_part(id, version, part)
            for name in names:
                if module is not None and not hasattr(module, name):
                    raise GameError(f"{_describe(id, version)}: {module.__name__}, its {part}, has no {name}: add it")
        if game.board is not None:
            find_template(id, version)
        for what, path in (("rulebook", game.rulebook), ("folder of translations", game.translations)):
            if path is not None and not path.exists():
                raise GameError(f"{_describe(id, version)}: its {what} {path} is missing: add it to the package's data")


def find_template(id: str, version: int) -> Path:
    """The template of a game's board; GameError if it has none."""
    module = load_part(id, version, "board")
    path = Path(module.__file__ or "").with_suffix(".svg") if module else None
    if path is None or not path.is_file():
        raise GameError(f"{_describe(id, version)}: its board has no template {path}: add it to the package's data")
    return path


def load_object(name: str, named_by: str) -> object:
    """The object at `module:NAME`; GameError, which says that `named_by` names it, if there is none."""
    module, _, attribute = name.strip().partition(":")
    _look_in_working_directory()
    try:
        return getattr(import_module(module), attribute)
    except Exception as error:
        raise GameError(f"{named_by} names {name!r}, which cannot be loaded: {_explain(error)}") from error


def list_rules(value: object, named: str) -> list[AnyRuleset]:
    """The rulesets that a ruleset, a game, or a tuple or list of these brings; GameError if it is none of these."""
    return [game.rules for game in _read_games(_Found(value, named, ""))]


@cache
def list_entry_points() -> tuple[EntryPoint, ...]:
    """The entry points of installed packages that name games, in the order of packages and names; none is loaded.

    Installed packages do not change while a process runs: they are looked up once, which takes long.
    """
    found = entry_points(group=GROUP)
    return tuple(sorted(found, key=lambda each: (each.dist.name if each.dist else "", each.name)))


@cache
def find_installed() -> tuple[_Found, ...]:
    """What the entry points of installed packages name, in the order of packages and names; GameError."""
    found = []
    for entry in list_entry_points():
        package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else "unknown"
        named = f"the package {package} (entry point {entry.name} = {entry.value})"
        remedy = f"mend or uninstall it: {sys.executable} -m pip uninstall {entry.dist.name if entry.dist else ''}"
        try:
            value = entry.load()
        except Exception as error:
            raise GameError(f"{named} cannot be loaded: {_explain(error)}; {remedy}") from error
        found.append(_Found(value, named, remedy))
    return tuple(found)


def _list_named(names: str) -> Iterator[_Found]:
    for name in filter(None, names.split(",")):
        yield _Found(load_object(name, SETTING), f"{SETTING} names {name!r}", f"correct {SETTING}")


def _read_games(found: _Found) -> list[Game]:
    values = found.value if isinstance(found.value, tuple | list) else (found.value,)
    games = [value if isinstance(value, Game) else Game(value) for value in values]
    for game in games:
        _require_ruleset(game.rules, found)
    return games


def _require_ruleset(rules: Any, found: _Found) -> None:
    if not isinstance(rules, Ruleset):
        raise _refuse(found, "this is not a ruleset, a Game, or a tuple or list of these")
    if lacking := [name for name in _REQUIRED if not hasattr(rules, name)]:
        raise _refuse(found, f"the ruleset {type(rules).__name__} lacks {', '.join(lacking)}")
    if not (_ID.fullmatch(rules.id) and type(rules.version) is int and rules.version >= 1):
        why = f"the ruleset is {rules.id!r} version {rules.version!r}: use letters a-z and a number from 1 on"
        raise _refuse(found, why)


def _register(game: Game, found: _Found) -> None:
    key = game.rules.id, game.rules.version
    try:
        register(game.rules)
    except ValueError:
        other = _SOURCES.get(key, "Plyscribe itself has that")
        raise _refuse(found, f"another ruleset is registered as {key[0]} version {key[1]} ({other})") from None
    # The same ruleset may be named again without what goes with it.
    if key not in _GAMES or _GAMES[key] == Game(game.rules):
        _GAMES[key], _SOURCES[key] = game, found.named


def _refuse(found: _Found, why: str) -> GameError:
    return GameError(f"{found.named}: {why}" + (f"; {found.remedy}" if found.remedy else ""))


@cache
def _import_part(id: str, version: int, part: Part, name: str) -> ModuleType:
    try:
        return import_module(name)
    except Exception as error:
        raise GameError(f"{_describe(id, version)}: {name}, its {part}, cannot be loaded: {_explain(error)}") from error


def _describe(id: str, version: int) -> str:
    return f"{id} version {version} ({_SOURCES[id, version]})"


def _explain(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _look_in_working_directory() -> None:
    """Let rulesets lie in the working directory. It comes last, so that nothing there hides an installed module."""
    with suppress(OSError):
        here = os.getcwd()
        if here not in sys.path:
            sys.path.append(here)
