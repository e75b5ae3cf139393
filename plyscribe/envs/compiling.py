"""Making a compiled build of the rules: a copy of the sources, translated by mypyc, that must play the same games.

The sources stay what they are; nothing of the installation is changed. It takes a C compiler, and mypy, which brings
mypyc.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent

import plyscribe
from plyscribe.envs.compiled import FOLDERS, name_build, place_builds

HOT = ("domain/contest.py", "domain/draws.py", "domain/mcts.py", "domain/mcts_v1.py", "envs/playing.py")
"""What is compiled besides the rules themselves."""

NOT_PLAYED = {"breaches", "drawing", "happenings", "laying", "notation"}
"""Modules of rulesets that no game needs: they draw, explain, or read text."""

SETUP = """
    from mypyc.build import mypycify
    from setuptools import setup

    modules = {modules!r}
    arguments = ["--config-file=", "--ignore-missing-imports", *modules]
    setup(name="plyscribe-compiled", packages=[], ext_modules=mypycify(arguments, {how}))
"""
HOW = 'opt_level="2", debug_level="0", multi_file=True'


class CannotCompile(RuntimeError):
    """There is no mypyc or no C compiler, or what it made does not play the same games."""


def compile_rules(say: Callable[[str], None] = lambda _: None) -> Path:
    """Make the build of these sources for this Python, or find the one that is there; its directory.

    `say` hears what happens. Takes minutes. Raises CannotCompile, and then nothing is left behind.
    """
    target = place_builds() / name_build()
    if target.is_dir():
        say(f"There is a build of these rules already: {target}")
        return target
    if find_spec("mypyc") is None or find_spec("setuptools") is None:
        raise CannotCompile('mypyc is missing: run pip install "plyscribe[compile]"')
    target.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=target.parent, prefix=".making-") as name:
        folder = Path(name) / "build"
        modules = _copy_sources(folder)
        say(f"Translating and compiling {len(modules)} modules. This takes some minutes.")
        _run_compiler(folder, modules)
        say("Playing the same games with and without it.")
        _require_same_games(folder)
        shutil.rmtree(folder / "build")
        folder.rename(target)
    say(f"The rules are compiled: {target}")
    return target


def remove_builds() -> int:
    """Remove all builds, also those for other versions; how many there were."""
    builds = list(place_builds().glob("[!.]*")) if place_builds().is_dir() else []
    for build in builds:
        shutil.rmtree(build)
    return len(builds)


def _copy_sources(folder: Path) -> list[str]:
    """Copy the sources, and list those to compile."""
    installed = Path(plyscribe.__path__[-1])
    package = folder / "plyscribe"
    for part in FOLDERS:
        shutil.copytree(installed / part, package / part, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd"))
    text = (installed / "__init__.py").read_text(encoding="utf-8")
    # What is not here, such as `service`, comes from where it is installed.
    (package / "__init__.py").write_text(f"{text}\n__path__.append({str(installed)!r})\n", encoding="utf-8")
    (package / "py.typed").touch()
    modules = [path.relative_to(folder).as_posix() for path in _list_hot(package)]
    (folder / "setup.py").write_text(dedent(SETUP.format(modules=modules, how=HOW)))
    return modules


def _list_hot(package: Path) -> Iterator[Path]:
    for path in sorted((package / "domain" / "rulesets").rglob("*.py")):
        is_registry = path.parent.name == "rulesets" and path.stem == "__init__"
        if path.stem not in NOT_PLAYED and not is_registry:
            yield path
    yield from (package / name for name in HOT)


def _run_compiler(folder: Path, modules: list[str]) -> None:
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace", f"--parallel={os.cpu_count() or 1}"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        end = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        raise CannotCompile(f"the compiler failed; it needs a C compiler, such as gcc, and Python's headers:\n{end}")


def _require_same_games(folder: Path) -> None:
    plain, compiled = _probe(), _probe(folder)
    if plain[1:] != ["python"] or compiled[1:] != ["compiled"]:
        raise CannotCompile(f"the compiled rules are not those that run: {plain}, {compiled}")
    if plain != [compiled[0], "python"]:
        raise CannotCompile("the compiled rules play other games than the sources; please report this")


def _probe(folder: Path | None = None) -> list[str]:
    path = [*([str(folder)] if folder else []), *(entry or os.getcwd() for entry in sys.path)]
    command = [sys.executable, "-P", "-m", "plyscribe.envs.probe"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotCompile(f"the rules cannot be run:\n{done.stderr}")
    return done.stdout.split()
