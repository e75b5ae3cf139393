"""Settings: an error names the setting and says what to do."""

import sys

import pytest

from plyscribe.domain.errors import DiceKeyMissing
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.config import (
    ALLOWANCES,
    ConfigError,
    load_ruleset,
    parse_key,
    read_config,
    read_metrics_address,
    register_rulesets,
)

KEY = "5a" * 32
GOOD = {"REDIS_URL": "redis://127.0.0.1:1", "PLYSCRIBE_SERVER_KEY": KEY, "PLYSCRIBE_READ_URL": "sqlite://"}


@pytest.mark.parametrize(
    ("setting", "value", "field", "default", "changed"),
    [
        ("RQ_REDIS_URL", "redis://other", "rq_redis_url", GOOD["REDIS_URL"], "redis://other"),
        ("PLYSCRIBE_REPLICAS", "2", "replicas", 0, 2),
        ("PLYSCRIBE_SIGN_UP", "open", "open_sign_up", False, True),
        ("PLYSCRIBE_CORRECTIONS_S", "0", "corrections_ms", 300_000, 0),
        ("PLYSCRIBE_STREAM_THREADS", "16", "stream_threads", 1, 16),
        ("PLYSCRIBE_STREAM_THREADS", "0", "stream_threads", 1, 0),
    ],
)
def test_a_setting_has_a_default_and_is_changed(setting, value, field, default, changed):
    assert getattr(read_config(GOOD), field) == default
    assert getattr(read_config({**GOOD, setting: value}), field) == changed


def test_workers_report_their_numbers_nowhere_by_default():
    assert read_metrics_address({}) == ("127.0.0.1", 0)
    assert read_metrics_address({"PLYSCRIBE_METRICS_PORT": "9420", "PLYSCRIBE_HOST": "0.0.0.0"}) == ("0.0.0.0", 9420)
    with pytest.raises(ConfigError, match="PLYSCRIBE_METRICS_PORT is '70000'"):
        read_metrics_address({"PLYSCRIBE_METRICS_PORT": "70000"})


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({}, "REDIS_URL is not set"),
        ({"REDIS_URL": "redis://x"}, "PLYSCRIBE_SERVER_KEY is not set"),
        ({"REDIS_URL": "redis://x", "PLYSCRIBE_SERVER_KEY": KEY}, "PLYSCRIBE_READ_URL is not set"),
        ({**GOOD, "PLYSCRIBE_SERVER_KEY": "xyz"}, "hex"),
        ({**GOOD, "PLYSCRIBE_SERVER_KEY": "00" * 31}, "31 bytes"),
        ({**GOOD, "PLYSCRIBE_SIGN_UP": "maybe"}, "PLYSCRIBE_SIGN_UP"),
        ({**GOOD, "PLYSCRIBE_MAX_FOLLOWERS": "-1"}, "PLYSCRIBE_MAX_FOLLOWERS is '-1'; .* from 0 to 65536"),
        *(({**GOOD, "PLYSCRIBE_MAX_FOLLOWERS": value}, "from 0 to 65536") for value in ("65537", "9" * 5000)),
        *(({**GOOD, "PLYSCRIBE_MAX_FOLLOWERS": value}, "a whole number") for value in ("2e3", "٣")),
        ({**GOOD, "PLYSCRIBE_MAX_FOLLOWERS_EACH": "0"}, "PLYSCRIBE_MAX_FOLLOWERS_EACH is '0'; .* from 1 to"),
        ({**GOOD, "PLYSCRIBE_ALLOWANCES": "moves"}, "PLYSCRIBE_ALLOWANCES says '' for moves; allowed: amounts such as"),
        *(({**GOOD, "PLYSCRIBE_ALLOWANCES": f"moves={text}"}, f"'{text}' for moves") for text in ("0/day", "5/week")),
        ({**GOOD, "PLYSCRIBE_ALLOWANCES": "reads=off, dances=5/day"}, "names 'dances'; the kinds are moves, commands"),
        ({**GOOD, "PLYSCRIBE_ALLOWANCES_FOR": "some"}, "'some'; allowed: all, none, remote"),
        ({**GOOD, "PLYSCRIBE_PROXIES": "yes"}, "PLYSCRIBE_PROXIES"),
        ({**GOOD, "PLYSCRIBE_REPLICAS": "all"}, "PLYSCRIBE_REPLICAS is 'all'; .* from 0 to 15"),
        ({**GOOD, "PLYSCRIBE_CORRECTIONS_S": "-1"}, "PLYSCRIBE_CORRECTIONS_S is .-1.; .* from 0 to 2592000"),
        ({"REDIS_URL": "redis://x", "PLYSCRIBE_SERVER_KEY_FILE": "/nowhere/key"}, "/nowhere/key"),
    ],
)
def test_a_missing_or_wrong_setting_is_named(environ, message):
    with pytest.raises(ConfigError, match=message):
        read_config(environ)


@pytest.mark.parametrize(("followers", "each"), [("", 200), ("30", 3), ("3", 1), ("0", 1)])
def test_one_client_may_have_a_tenth_of_the_streams_by_default(followers, each):
    some = {**GOOD, "PLYSCRIBE_MAX_FOLLOWERS": followers}
    assert read_config(some).max_followers_each == each
    assert read_config({**some, "PLYSCRIBE_MAX_FOLLOWERS_EACH": "1000"}).max_followers_each == 1000


def test_a_key_file_is_read(tmp_path):
    (tmp_path / "key").write_text(KEY + "\n")
    unset = {name: value for name, value in GOOD.items() if name != "PLYSCRIBE_SERVER_KEY"}
    assert read_config({**unset, "PLYSCRIBE_SERVER_KEY_FILE": str(tmp_path / "key")}).server_key == parse_key(KEY)


def test_the_key_never_shows_and_its_id_distinguishes_it_from_others():
    for told in (parse_key(KEY), read_config(GOOD), parse_key(f"{'5b' * 32},{KEY}")):
        assert "5a5a" not in repr(told)
    key = parse_key(KEY)
    assert key.id == parse_key(KEY).id != parse_key("5b" * 32).id
    assert len(key.id) == 16


def test_a_new_key_seals_and_older_ones_still_open():
    new = "5b" * 32
    dice, secret = parse_key(KEY).seal("match-x")
    rotated = parse_key(f"{new}\n{KEY}\n")
    assert rotated.secret_of(dice) == secret
    assert rotated.id == parse_key(new).id
    assert rotated.seal("match-x") == parse_key(new).seal("match-x")
    with pytest.raises(DiceKeyMissing):
        parse_key(new).secret_of(dice)


def test_keys_stand_on_lines_or_between_commas_and_all_are_valid():
    keys = [KEY, "5b" * 32, "5c" * 40]
    ring = tuple(parse_key(key).id for key in keys)
    for text in (",".join(keys), " , ".join(keys), "\n".join(keys), "\r\n".join([*keys, ""])):
        assert tuple(key.id for key in parse_key(text).ring) == ring
    for wrong in ("", f"{KEY},", f"{KEY},{'5b' * 31}", f"{KEY}\nkey"):
        with pytest.raises(ConfigError, match="server key"):
            parse_key(wrong)


def test_further_rulesets_are_loaded_by_name():
    register_rulesets("tests.domain.toy:TOY_V1")
    assert find_ruleset("toy").title == "Toy race"
    for name in ("nowhere:GAME", "tests.domain.toy:NOTHING", "tests.domain.toy", "os:path", ":"):
        with pytest.raises(ConfigError, match="PLYSCRIBE_RULESETS"):
            register_rulesets(name)


def test_a_ruleset_may_lie_in_the_working_directory_where_nothing_hides_an_installed_module(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.path", sys.path[:])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules_of_mine.py").write_text("from tests.domain.toy import TOY_V1 as MINE\n")
    assert load_ruleset("rules_of_mine:MINE", "PLYSCRIBE_RULESETS").id == "toy"
    (tmp_path / "tabnanny.py").write_text("raise RuntimeError('not this one')\n")
    with pytest.raises(ConfigError, match="not a ruleset"):
        load_ruleset("tabnanny:check", "PLYSCRIBE_RULESETS")


def test_allowances_are_changed_kind_by_kind():
    read = read_config({**GOOD, "PLYSCRIBE_ALLOWANCES": "moves=6000/minute; 2/10 days, accounts=off"}).allowances
    assert {**read, "accounts": ALLOWANCES["accounts"]} == {**ALLOWANCES, "moves": ((6000, 60), (2, 864_000))}
    assert "accounts" not in read
