"""Who may import whom, and what the domain must not touch."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = {"domain", "service", "workers", "tests", "bench"}
MAY_IMPORT = {"domain": {"domain"}, "service": {"domain", "service"}, "workers": {"domain", "service", "workers"}}

IMPURE = {
    "os",
    "sys",
    "time",
    "datetime",
    "random",
    "secrets",
    "logging",
    "socket",
    "subprocess",
    "pathlib",
    "io",
    "threading",
}
SEEDED = {"domain/bots.py": {"random"}}
"""Where a module that could be impure is used with a seed that comes in as an argument."""

EDGE = ("service/web/",)


def modules(package: str) -> list[Path]:
    return sorted(path for path in (ROOT / package).rglob("*.py"))


def imports_of(path: Path) -> set[str]:
    """Top-level names of all modules that a file imports, inside functions too; of ours, the name after `plyscribe`."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.removeprefix("plyscribe.").split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module.removeprefix("plyscribe.").split(".")[0])
    return names


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


ALL = [path for package in MAY_IMPORT for path in modules(package)]


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_packages_import_only_what_they_may(path):
    package = path.relative_to(ROOT).parts[0]
    assert imports_of(path) & OURS <= MAY_IMPORT[package]


@pytest.mark.parametrize("path", modules("domain"), ids=name_of)
def test_the_domain_is_pure_and_needs_no_library(path):
    imported = imports_of(path)
    assert imported <= sys.stdlib_module_names | {"domain"}
    assert not imported & (IMPURE - SEEDED.get(name_of(path), set()))


@pytest.mark.parametrize("path", modules("service") + modules("workers"), ids=name_of)
def test_only_the_edge_knows_flask(path):
    if not name_of(path).startswith(EDGE):
        assert not imports_of(path) & {"flask", "werkzeug"}


def test_every_package_says_its_rule():
    for package in MAY_IMPORT:
        assert "One rule" in (ROOT / package / "README.md").read_text(encoding="utf-8")
