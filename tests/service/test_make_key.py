"""`plyscribe make-key` makes keys that the settings take, and never takes one away."""

import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from plyscribe.service.cli.make_key import make_server_key
from plyscribe.service.config import parse_key, read_config

SETTINGS = {"REDIS_URL": "redis://127.0.0.1:1", "PLYSCRIBE_READ_URL": "sqlite://"}


def make(*arguments: str) -> Result:
    return CliRunner().invoke(make_server_key, arguments)


def test_the_printed_key_is_one_that_the_settings_take():
    made = make()
    assert made.exit_code == 0
    config = read_config({**SETTINGS, "PLYSCRIBE_SERVER_KEY": made.stdout.strip()})
    assert not config.server_key.older
    assert f"key {config.server_key.id}: " in made.output
    assert "PLYSCRIBE_SERVER_KEY" in made.output
    assert made.stdout.strip() not in made.stderr


def test_each_key_is_another_one():
    assert make().stdout != make().stdout


def test_the_file_is_for_the_owner_alone_and_one_that_the_settings_take(tmp_path):
    path = tmp_path / "server.key"
    made = make("--file", str(path))
    assert (made.exit_code, made.stdout) == (0, "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    key = read_config({**SETTINGS, "PLYSCRIBE_SERVER_KEY_FILE": str(path)}).server_key
    assert key == parse_key(path.read_text())
    assert f"key {key.id}: " in made.output
    assert f"PLYSCRIBE_SERVER_KEY_FILE={path}" in made.output


@pytest.mark.parametrize("held", ["", "5a" * 32])
def test_a_file_that_exists_is_left_alone(tmp_path, held):
    path = tmp_path / "server.key"
    path.write_text(held)
    made = make("--file", str(path))
    assert made.exit_code == 1
    assert f"error: {path} exists" in made.output
    assert path.read_text() == held


def test_a_link_that_leads_nowhere_is_not_written_through(tmp_path):
    path = tmp_path / "server.key"
    path.symlink_to(tmp_path / "elsewhere")
    assert make("--file", str(path)).exit_code == 1
    assert not (tmp_path / "elsewhere").exists()


def test_where_nothing_can_be_written_the_reason_is_said(tmp_path):
    made = make("--file", str(tmp_path / "none" / "server.key"))
    assert made.exit_code == 1
    assert "cannot be written: No such file" in made.output


def test_half_a_key_is_not_left_behind(tmp_path, monkeypatch):
    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    made = make("--file", str(tmp_path / "server.key"))
    assert made.exit_code == 1
    assert "No space left" in made.output
    assert not list(Path(tmp_path).iterdir())
