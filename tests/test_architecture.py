"""The laws of the house: who may import whom, what a name means, and what the domain must not touch."""

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from textwrap import dedent

import pytest

import plyscribe

[HOUSE] = map(Path, plyscribe.__path__)
TREE = Path(__file__).parents[1]

FLOORS = (
    ("cli",),
    ("web",),
    ("health",),
    ("composition",),
    ("referee",),
    ("bridge", "datasets", "explorer", "laboratory", "reports"),
    ("tournaments", "lists", "live", "processes"),
    ("matches", "ratings", "access", "webhooks"),
    ("streams",),
    ("archive", "boards", "database", "kit", "language", "lessons"),
    ("store",),
    ("client",),
    ("logs",),
    ("config", "errors", "queues", "metrics", "clock", "rulebooks"),
    ("games",),
)
"""The rooms of `service/`, from the top floor down: a room imports only from floors below its own."""

MOST_ROOMS = 35

PACKAGES = {
    "domain": {"domain"},
    "envs": {"domain", "envs", "service"},
    "service": {"domain", "envs", "service"},
    "testing": {"domain", "service", "testing"},
    "workers": {"domain", "service", "workers"},
}
"""What each top-level package may import of ours."""

HTTP = {"apispec", "flask", "granian", "gunicorn", "marshmallow", "werkzeug"}
"""Libraries that only `service/web/` imports."""

IMPURE = {
    "datetime",
    "io",
    "logging",
    "os",
    "pathlib",
    "random",
    "secrets",
    "socket",
    "subprocess",
    "sys",
    "threading",
    "time",
}
SEEDED = {"domain/bots.py": {"random"}}
"""Modules that use an impure module with a seed that comes in as an argument."""

SUBJECTS = {
    "authority": "who may do what in a tournament",
    "blueprint": "the blueprint that the views beside it hang on",
    "board": "the fields of a board and how they lie",
    "bots": "built-in bots",
    "breaches": "why a move is illegal",
    "commands": "requests to change a stream",
    "datasets": "finished matches as tables",
    "deadlines": "when the time of the seat on turn is over",
    "drawing": "a ruleset's board as text",
    "effects": "what a step of a match did",
    "errors": "one tree of errors",
    "events": "recorded facts",
    "explorer": "what was played from positions",
    "forks": "matches that begin with a line of another",
    "happenings": "the effects of what was done in a ruleset",
    "imported": "matches of other servers",
    "imports": "the taking in of those matches",
    "inboxes": "what players are notified of",
    "layouts": "which releases read what a store holds",
    "lists": "read models, page by page",
    "many": "many matches at once",
    "match": "one match",
    "matches": "many matches",
    "moves": "the moves of a ruleset as values",
    "play": "what is done while a match is played",
    "positions": "positions of matches and games",
    "players": "people and bots with an account",
    "problems": "errors as problem documents",
    "queries": "what is read and described for an answer",
    "ratings": "ratings of players",
    "reading": "who may read a match, and how it is read",
    "record": "a match as text",
    "replay": "positions derived from moves",
    "rules": "the rules of a game",
    "rulesets": "the registered rulesets",
    "seats": "numbered places at a table",
    "selfplay": "many games that are played here, at random or by bots",
    "state": "the state that a ruleset or an aggregate folds to",
    "system": "health and the contract",
    "tokens": "tokens of accounts",
    "tournaments": "many tournaments",
    "turns": "whose turn it is in a ruleset",
    "vectors": "random matches for simulators of others",
    "verification": "executing a match a second time",
    "webhooks": "addresses that accounts have messages posted to",
    "variations": "positions that are tried without a match",
}
"""Names that several modules share, with the one meaning that they share it in."""


@cache
def modules(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (HOUSE / folder).rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(HOUSE).as_posix()


@cache
def parse_file(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports_of(path: Path) -> set[str]:
    """The dotted names of everything that a file imports, inside functions too."""
    names = set()
    for node in ast.walk(parse_file(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None, path
            assert node.level == 0, f"{path}: imports are absolute"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def libraries_of(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imports_of(path)} - {"plyscribe"}


def parts_of(name: str) -> tuple[str, ...]:
    """A dotted name of ours without `plyscribe`; empty for any other."""
    first, *rest = name.split(".")
    return tuple(rest) if first == "plyscribe" else ()


def room_of(parts: Iterable[str]) -> str:
    """The folder or file right below a package: `web` of service.web.api, `config` of service.config."""
    _, *below = parts
    return below[0].removesuffix(".py") if below else ""


def arrows(package: str) -> Iterator[tuple[Path, str, str]]:
    """The imports from one room of a package to another."""
    for path in modules(package):
        here = room_of(path.relative_to(HOUSE).parts)
        for name in imports_of(path):
            if (parts := parts_of(name))[:1] == (package,) and len(parts) > 1 and (there := room_of(parts)) != here:
                yield path, here, there


def rooms(package: str) -> set[str]:
    folder = HOUSE / package
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    return files | {path.parent.name for path in folder.glob("*/__init__.py")}


ALL = modules(*PACKAGES)


def offenders(paths: Iterable[Path], forbidden: Callable[[Path], set[str]]) -> dict[str, set[str]]:
    """What each file has that a law forbids, by the file's name."""
    return {str(path.relative_to(TREE)): found for path in paths if (found := forbidden(path))}


def packages_of(path: Path) -> set[str]:
    return {parts[0] for name in imports_of(path) if (parts := parts_of(name))} - {"__version__"}


def test_packages_import_only_what_they_may():
    assert offenders(ALL, lambda path: packages_of(path) - PACKAGES[name_of(path).partition("/")[0]]) == {}


def test_nothing_of_ours_is_imported_by_a_bare_name():
    everything = [*ALL, *TREE.glob("tests/**/*.py"), *TREE.glob("bench/**/*.py")]
    assert offenders(everything, lambda path: libraries_of(path) & set(PACKAGES)) == {}


def test_the_domain_is_pure_and_needs_no_library():
    def forbidden(path: Path) -> set[str]:
        impure = IMPURE - SEEDED.get(name_of(path), set())
        return {name for name in libraries_of(path) if name in impure or name not in sys.stdlib_module_names}

    assert offenders(modules("domain"), forbidden) == {}


def test_every_room_of_the_service_has_its_floor_and_they_are_few():
    listed = [room for floor in FLOORS for room in floor]
    assert sorted(listed) == sorted(rooms("service"))
    assert len(listed) <= MOST_ROOMS


def test_rooms_of_the_service_import_only_from_floors_below():
    floor_of = {room: number for number, floor in enumerate(FLOORS) for room in floor}
    seen = [(name_of(path), here, there) for path, here, there in arrows("service") if here]
    assert seen
    assert [f"{name} imports {there}" for name, here, there in seen if floor_of[here] >= floor_of[there]] == []


@pytest.mark.parametrize("package", ["domain", "workers"])
def test_rooms_do_not_import_each_other_in_a_circle(package):
    graph = defaultdict(set)
    for _, here, there in arrows(package):
        if here and there != "__init__":
            graph[here].add(there)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"rooms in a circle: {' -> '.join(error.args[1])}")


def test_only_the_web_knows_http():
    elsewhere = [path for path in modules("service", "workers") if not name_of(path).startswith("service/web/")]
    assert offenders(elsewhere, lambda path: libraries_of(path) & HTTP) == {}


def test_workers_do_not_import_the_web():
    def forbidden(path: Path) -> set[str]:
        return {name for name in imports_of(path) if parts_of(name)[:2] == ("service", "web")}

    assert offenders(modules("workers"), forbidden) == {}


def test_the_client_needs_httpx_and_wsproto_alone():
    for path in modules("service/client"):
        assert libraries_of(path) - sys.stdlib_module_names <= {"httpx", "wsproto"}
        ours = {parts[:2] for name in imports_of(path) if (parts := parts_of(name))}
        assert all(parts[0] == "domain" or parts == ("service", "client") for parts in ours), path


def test_the_client_loads_nothing_else_of_ours():
    code = """
        import sys, plyscribe.service.client
        rooms = {".".join(name.split(".")[1:3]) for name in sys.modules if name.startswith("plyscribe.")}
        print(sorted(room for room in rooms if not room.startswith("domain")))
    """
    argv = [sys.executable, "-c", dedent(code)]
    assert (
        subprocess.run(argv, cwd=TREE, capture_output=True, text=True, check=True).stdout
        == "['service', 'service.client']\n"
    )


def test_a_module_name_means_one_thing():
    places = defaultdict(list)
    for path in ALL:
        if not path.stem.startswith("__"):
            places[path.stem].append(name_of(path))
    # A ruleset's name is the same in domain and in the drawings of its board.
    shared = {name for name, paths in places.items() if len(paths) > 1 and not name[-1].isdigit()}
    assert {name: places[name] for name in shared - set(SUBJECTS)} == {}
    assert set(SUBJECTS) - shared == set(), "these names have one place now: strike them from the table"


def test_no_function_is_called_tell():
    def forbidden(path: Path) -> set[str]:
        functions = {node.name for node in ast.walk(parse_file(path)) if isinstance(node, ast.FunctionDef)}
        return {name for name in functions if name.lstrip("_").startswith("tell")}

    assert offenders(ALL, forbidden) == {}


def first_line(folder: Path) -> str:
    docstring = ast.get_docstring(parse_file(folder / "__init__.py"))
    return (docstring or "").partition("\n")[0]


FOLDERS = sorted({path.parent for path in ALL}, key=name_of)


def test_every_folder_says_in_one_line_what_lives_there():
    assert [name_of(folder) for folder in FOLDERS if not first_line(folder).endswith(".")] == []


def place_of(folder: Path) -> str:
    """Where the folder is in the tree: what is no link lies in `plyscribe/` itself."""
    name = name_of(folder)
    return name if (HOUSE / name.partition("/")[0]).is_symlink() else f"plyscribe/{name}"


def test_the_map_of_contributing_is_made_of_these_lines():
    page = (TREE / "CONTRIBUTING.md").read_text(encoding="utf-8")
    mapped = [folder for folder in FOLDERS if len(folder.relative_to(HOUSE).parts) <= 2]
    lines = [f"- `{place_of(folder)}/`: {first_line(folder)}" for folder in mapped if "_v" not in folder.name]
    assert [line for line in page.splitlines() if line.startswith("- `") and "/`: " in line] == lines


def test_every_package_says_its_rule():
    for package in PACKAGES:
        assert "One rule" in (HOUSE / package / "README.md").read_text(encoding="utf-8")
