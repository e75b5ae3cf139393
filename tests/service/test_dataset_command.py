"""`plyscribe dataset`, beside a service and on files, and the examples that read what it writes."""

import json
import subprocess
import sys
from itertools import cycle
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner, Result

from plyscribe.service.cli import dataset
from plyscribe.service.cli.__main__ import cli
from plyscribe.service.cli.full_export import export_store
from plyscribe.service.datasets import tabulating
from plyscribe.service.datasets.datasheet import FILES
from plyscribe.service.datasets.splits import SPLITS
from tests.service.making_datasets import Dataset, Rig
from tests.service.test_imports_api import bundle_of, forged, let_the_other_win

ROOT = Path(__file__).parents[2]
LATER = "2096-10-02T07:06:40Z"


class Shell(Rig):
    """The command beside a service."""

    def run(self, *arguments: object) -> Result:
        return CliRunner().invoke(cli, ["dataset", *map(str, arguments)])

    def write(self, to: Path, *arguments: object) -> Dataset:
        ran = self.run(*arguments, "--to", to, "--until", LATER)
        assert ran.exit_code == 0, ran.output
        return Dataset(to)

    def export(self) -> Path:
        export_store(self.parts.store, path := self.folder / "all.ndjson")
        return path

    def bundle(self, match: str) -> Path:
        path = self.folder / f"{match}.bundle.ndjson"
        path.write_bytes(bundle_of(self.parts, match))
        return path


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    made = Shell(tmp_path)
    monkeypatch.setattr(dataset, "compose_beside", lambda _: made.parts)
    return made


def test_store_export_and_bundles_lead_to_the_same_bytes_and_a_match_in_several_files_counts_once(
    shell: Shell, tmp_path: Path
) -> None:
    matches = [shell.play(), shell.play()]
    shell.play(private=True)
    shell.api.new_match(shell.token)
    bundles = [shell.bundle(match) for match in reversed(matches)]
    from_store = shell.write(tmp_path / "store", "toy")
    assert sorted(from_store.matches) == sorted(matches)
    export = shell.export()
    for name, files in {"export": [export], "bundles": bundles, "both": [*bundles, export]}.items():
        assert shell.write(tmp_path / name, "toy", *files).text() == from_store.text()


def test_the_command_says_what_it_wrote_and_what_it_left_out(shell: Shell, tmp_path: Path) -> None:
    shell.play()
    shell.play(private=True)
    shell.annul(shell.play())
    ran = shell.run("toy", shell.export(), "--to", tmp_path / "a", "--licence", "CC0")
    assert ran.exit_code == 0
    first, *_, last = ran.stdout.splitlines()
    assert first.startswith("Toy race: 1 matches that ended before")
    assert last == "left out: 1 annulled, 1 private"
    assert "matches.parquet: 1 rows" in ran.stdout
    ran = shell.run("toy", "--to", tmp_path / "b", "--json", "--until", LATER)
    assert orjson.loads(ran.stdout) == {**json.loads((tmp_path / "b" / "datasheet.json").read_text()), "left_out": {}}


def test_a_cut_may_be_a_date_or_a_time_of_any_zone(shell: Shell, tmp_path: Path) -> None:
    for given, until in (
        ("2026-11-01", "2026-11-01T00:00:00.000Z"),
        ("2026-11-01T12:00:00.250", "2026-11-01T12:00:00.250Z"),
        ("2026-11-01T12:00:00+02:00", "2026-11-01T10:00:00.000Z"),
    ):
        ran = shell.run("toy", "--until", given, "--to", tmp_path / until, "--json")
        assert orjson.loads(ran.stdout)["until"] == until
    ran = shell.run("toy", "--until", "yesterday")
    assert (ran.exit_code, "such as 2026-11-01" in ran.output) == (2, True)


def test_a_forged_match_is_left_out(shell: Shell, tmp_path: Path) -> None:
    """Its hashes are right, and a verdict is in it, but its moves did not lead to this end."""
    path = shell.bundle(shell.play())
    path.write_bytes(forged(path.read_bytes(), let_the_other_win))
    ran = shell.run("toy", path, "--to", tmp_path / "out")
    assert (ran.exit_code, "0 matches" in ran.output, "left out: 1 " in ran.output) == (0, True, True)


def test_what_cannot_be_done_is_said_and_leaves_nothing(shell: Shell, tmp_path: Path) -> None:
    broken = tmp_path / "broken.ndjson"
    broken.write_bytes(shell.export().read_bytes()[:-10])
    ran = shell.run("toy", broken, "--to", tmp_path / "out")
    assert (ran.exit_code, "the end line is missing" in ran.output) == (1, True)
    (tmp_path / "noise").write_bytes(b"noise")
    assert shell.run("toy", tmp_path / "noise", "--to", tmp_path / "out").exit_code == 1
    assert not (tmp_path / "out").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".out-")]
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    ran = shell.run("toy", "--to", tmp_path / "full")
    assert (ran.exit_code, "choose another folder" in ran.output) == (2, True)
    assert "unknown ruleset 'chess'" in str(shell.run("chess", "--to", tmp_path / "out").exception)


def test_without_the_extra_the_command_says_how_to_get_it(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "can_make", lambda: False)
    ran = shell.run("toy")
    assert (ran.exit_code, 'pip install "plyscribe[datasets]"' in ran.stderr) == (2, True)


def test_the_examples_read_a_dataset(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Ids are random, and the examples want something in every split.
    splits = cycle(SPLITS)
    monkeypatch.setattr(tabulating, "split_of", lambda _: next(splits))
    for _ in range(3):
        for moves in (("+5", "+6"), ("+5", "+7", "+8"), ("+4",)):
            shell.record(*moves)
    made = shell.write(tmp_path / "zhen", "zhen")
    for example, told in (("openings", "move      matches"), ("evaluation", "quarter  positions")):
        script = ROOT / "examples" / "datasets" / f"{example}.py"
        argv = [sys.executable, str(script), str(made.folder)]
        ran = subprocess.run(argv, capture_output=True, text=True, check=True)
        assert ran.stdout.startswith(told)
        assert len(ran.stdout.splitlines()) > 1
    assert {path.name for path in made.folder.iterdir()} == set(FILES)
