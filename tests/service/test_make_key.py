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


def test_the_printed_key_is_a_new_one_that_the_settings_take():
    made = make()
    assert made.exit_code == 0
    config = read_config({**SETTINGS, "PLYSCRIBE_SERVER_KEY": made.stdout.strip()})
    assert not config.server_key.older
    assert f"key {config.server_key.id}: " in made.output
    assert "PLYSCRIBE_SERVER_KEY" in made.output
    assert made.stdout.strip() not in made.stderr
    assert make().stdout != made.stdout


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
def test_a_file_that_exists_or_cannot_be_written_is_left_alone(tmp_path, held):
    path, link = tmp_path / "server.key", tmp_path / "link"
    path.write_text(held)
    link.symlink_to(tmp_path / "elsewhere")
    nowhere = tmp_path / "none" / "server.key"
    for at, why in ((path, f"error: {path} exists"), (link, "exists"), (nowhere, "cannot be written: No such file")):
        made = make("--file", str(at))
        assert (made.exit_code, why in made.output) == (1, True), made.output
    assert path.read_text() == held
    assert not (tmp_path / "elsewhere").exists()


def test_half_a_key_is_not_left_behind(tmp_path, monkeypatch):
    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    made = make("--file", str(tmp_path / "server.key"))
    assert made.exit_code == 1
    assert "No space left" in made.output
    assert not list(Path(tmp_path).iterdir())
