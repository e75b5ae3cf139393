"""The server key is rotated: new dice have the new one, what was begun under an older one goes on."""

import stat
from pathlib import Path

import pytest

from plyscribe.service.client import Client
from plyscribe.service.config import ConfigError, parse_key
from plyscribe.service.processes.serving import ServeError, rotate_key
from tests.system.programs import run_cli
from tests.system.running import KEY, pair, serving, wait_until_scored


class Killed(BaseException):
    """What a process feels of a kill: nothing after it is done."""


@pytest.fixture
def data(tmp_path) -> Path:
    (tmp_path / "server.key").write_text(KEY + "\n")
    return tmp_path


def key_of(client: Client, match: str) -> str:
    return client.match(match)["dice"]["key"]


def test_matches_go_on_and_invitations_hold_after_a_rotation(tmp_path):
    data = tmp_path / "data"
    with serving(data) as service, pair(service.url) as both:
        ann, _ = both.clients
        match = both.open_match("toy")
        private = ann.create_match("zhen", [None, None], private=True)["match"]
        code = ann.invite(private, 2)["invitation"]
        old = parse_key((data / "server.key").read_text())
        assert "in use" in run_cli("rotate-key", "--data", str(data)).stderr
    told = run_cli("rotate-key", "--data", str(data))
    new = parse_key((data / "server.key").read_text())
    assert told.returncode == 0, told.stderr
    assert new.id in told.stdout
    assert old.id in told.stdout
    assert old.key.hex() not in told.stdout + told.stderr
    with serving(data, service.port), pair(service.url, both.accounts) as both:
        ann, ben = both.clients
        both.play_out(match)
        wait_until_scored(ann, match)
        assert key_of(ann, match) == old.id
        assert ben.take_seat(private, 2, invitation=code)
        assert key_of(ann, both.open_match("toy")) == new.id


def test_the_new_key_stands_before_all_older_ones(data):
    first = rotate_key(data, {})
    second = rotate_key(data, {})
    assert [key.id for key in second.ring] == [second.id, first.id, parse_key(KEY).id]
    assert parse_key((data / "server.key").read_text()) == second
    assert stat.S_IMODE((data / "server.key").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "step", ["os.fsync", "pathlib.Path.rename", "plyscribe.service.processes.private_files.sync_directory"]
)
def test_a_rotation_that_is_killed_loses_no_key(data, monkeypatch, step):
    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(step, die)
        with pytest.raises(Killed):
            rotate_key(data, {})
    assert parse_key(KEY).id in [key.id for key in parse_key((data / "server.key").read_text()).ring]
    assert parse_key(KEY).id in [key.id for key in rotate_key(data, {}).ring]


@pytest.mark.parametrize("name", ["PLYSCRIBE_SERVER_KEY", "PLYSCRIBE_SERVER_KEY_FILE"])
def test_a_key_that_is_kept_elsewhere_is_not_rotated_here(data, name):
    with pytest.raises(ServeError, match=name):
        rotate_key(data, {name: KEY})
    assert (data / "server.key").read_text() == KEY + "\n"


def test_where_no_key_is_none_is_made(tmp_path):
    with pytest.raises(ServeError, match="first start"):
        rotate_key(tmp_path / "none", {})
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("text", ["", "xyz", KEY[:-4]])
def test_a_damaged_key_file_is_left_alone(data, text):
    (data / "server.key").write_text(text)
    with pytest.raises(ConfigError):
        rotate_key(data, {})
    assert (data / "server.key").read_text() == text
