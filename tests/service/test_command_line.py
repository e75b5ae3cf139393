"""The command `plyscribe` as a whole: what it imports, how it lists its commands, and what it does without extras."""

import json
import os
import subprocess
import sys
from importlib import import_module, metadata
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

import plyscribe
from plyscribe.domain.errors import UnknownRuleset
from plyscribe.service.cli import __main__ as command_line
from plyscribe.service.cli import base
from plyscribe.service.cli.__main__ import COMMANDS, EXPECTED, cli
from plyscribe.service.cli.verify import verify
from plyscribe.service.health.doctor import machine
from tests.manual import write_files

HEAVY = ("flask", "redis", "rq", "networkx", "granian", "httpx", "rich", "plyscribe.domain.rulesets")


def plyscribe_alone(*arguments: str, without: tuple[str, ...] = (), folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run the command in a process of its own, where the modules `without` cannot be imported."""
    code = f"""\
import importlib.util, sys
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name in {without!r} else find_spec(name)
sys.modules.update(dict.fromkeys({without!r}))
sys.argv[0] = "plyscribe"
from plyscribe.__main__ import main
try:
    main()
finally:
    print(*sorted(sys.modules), file=open("modules", "w"))
"""
    env = {**os.environ, "PYTHONPATH": str(Path(plyscribe.__file__).parents[1])}
    argv = [sys.executable, "-c", code, *arguments]
    return subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, check=False)


# ------------------------------------------------------------------------------------------------------------ imports


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_the_list_of_commands_imports_none_of_them(tmp_path, option):
    assert plyscribe_alone(option, folder=tmp_path).returncode == 0
    modules = (tmp_path / "modules").read_text().split()
    assert "plyscribe.service.cli.__main__" in modules
    assert not [name for name in modules if name in HEAVY]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_does_not_import_the_server(tmp_path, name):
    ran = plyscribe_alone(name, "--help", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    modules = (tmp_path / "modules").read_text().split()
    assert not [each for each in modules if each in ("flask", "redis", "rq", "networkx", "granian")]


def test_serve_itself_leaves_the_read_database_to_its_processes():
    code = "import sys, plyscribe.service.processes.serving; print('sqlalchemy' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_of_a_command_is_the_first_line_of_its_help(name):
    with click.Context(cli) as context:
        command = cli.get_command(context, name)
    assert command is not None
    assert (command.name, command.short_help) == (name, COMMANDS[name][1])
    assert (command.help or "").partition("\n\n")[0] == COMMANDS[name][1]


def test_every_command_is_listed_on_one_line_and_suggested_if_mistyped():
    lines = CliRunner().invoke(cli, ["--help"], prog_name="plyscribe").output.splitlines()
    assert lines[0] == "Usage: plyscribe [OPTIONS] COMMAND [ARGS]..."
    listed = [tuple(line.split(maxsplit=1)) for line in lines[lines.index("Commands:") + 1 :]]
    assert listed == [(name, COMMANDS[name][1]) for name in sorted(COMMANDS)]
    ran = CliRunner().invoke(cli, ["verfy"])
    assert (ran.exit_code, "verify" in ran.output) == (2, True)
    assert CliRunner().invoke(cli, ["--version"]).output == f"plyscribe, version {plyscribe.__version__}\n"


def test_a_shell_completes_commands_and_their_options():
    completion = ShellComplete(cli, {}, "plyscribe", "_PLYSCRIBE_COMPLETE")
    for words, begun, found in (([], "ver", "verify"), ([], "--v", "--version"), (["verify"], "--r", "--receipt")):
        assert [item.value for item in completion.get_completions(words, begun)] == [found]
    assert completion.get_completions([], "verif")[0].help == COMMANDS["verify"][1]


# ------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(("module", "name"), EXPECTED)
def test_the_errors_that_a_person_can_fix_are_where_they_are_looked_for(module, name):
    assert issubclass(getattr(import_module(module), name), Exception)


def test_an_error_that_a_person_can_fix_is_printed_as_a_line_and_one_of_ours_keeps_its_traceback(monkeypatch):
    monkeypatch.setattr("sys.argv", ["plyscribe", "vectors", "chess"])
    with pytest.raises(SystemExit, match=r"^error: unknown ruleset 'chess'$"):
        command_line.main()
    assert command_line.is_expected(UnknownRuleset("chess"))
    assert not command_line.is_expected(KeyError("chess"))
    monkeypatch.setattr("sys.argv", ["plyscribe", "verify", "match"])
    monkeypatch.setattr(verify, "callback", lambda **_: {}["nothing"])
    with pytest.raises(KeyError):
        command_line.main()


# ------------------------------------------------------------------------------------------------------------- extras


@pytest.mark.parametrize(
    ("command", "missing", "error"),
    [
        (["openapi"], "flask", "error: this command needs the extra 'server' (flask is missing). To install it:\n"),
        (["serve"], "click", "error: `plyscribe serve` needs the extra 'server'. To install it:\n"),
        (["serve"], "rich", "error: `plyscribe serve` needs the extra 'server'. To install it:\n"),
    ],
)
def test_a_command_without_its_packages_says_what_to_install(tmp_path, command, missing, error):
    ran = plyscribe_alone(*command, without=(missing,), folder=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith(error)
    assert f'{sys.executable} -m pip install "plyscribe[server]"' in ran.stderr


@pytest.mark.parametrize(("arguments", "code"), [(["--help"], 0), ([], 2), (["--version"], 0)])
def test_a_base_install_has_a_help_and_a_version(tmp_path, arguments, code):
    ran = plyscribe_alone(*arguments, without=("click",), folder=tmp_path)
    assert ran.returncode == code
    if arguments == ["--version"]:
        assert ran.stdout == f"plyscribe, version {plyscribe.__version__}\n"
        return
    assert "plyscribe verify [--receipt FILE]... [--json] BUNDLE..." in ran.stdout + ran.stderr
    assert 'pip install "plyscribe[server]"' in ran.stdout + ran.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        "match.ndjson bad.ndjson missing.ndjson",
        "missing.ndjson",
        "match.ndjson --json",
        "--receipt receipts.ndjson match.ndjson",
        "--receipt bad.ndjson match.ndjson",
    ],
)
def test_a_base_install_verifies_as_the_whole_one_does(tmp_path, monkeypatch, capsys, arguments):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    raw = (tmp_path / "match.ndjson").read_bytes()
    (tmp_path / "bad.ndjson").write_bytes(raw.replace(b'"move":"+3"', b'"move":"+4"'))
    whole = CliRunner().invoke(cli, ["verify", *arguments.split()], catch_exceptions=False)
    with pytest.raises(SystemExit) as exit:
        base.main(["verify", *arguments.split()])
    printed = capsys.readouterr()
    assert (exit.value.code, printed.out, printed.err) == (whole.exit_code, whole.stdout, whole.stderr)


def test_a_base_install_verifies_without_any_other_package(tmp_path):
    write_files(tmp_path)
    without = ("click", "rich", "httpx", "orjson", "markupsafe")
    ran = plyscribe_alone("verify", "match.ndjson", "--json", without=without, folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)[0]["result"] == "ok"


def test_the_doctor_looks_for_the_packages_of_the_server(monkeypatch):
    def version(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    required = ["httpx>=0.28", 'flask>=3 ; extra == "server"', 'x; extra == "test"']
    monkeypatch.setattr(machine, "requires", lambda _: required)
    monkeypatch.setattr(machine, "version", version)
    assert [finding.text.split()[0] for finding in machine._examine_packages()] == ["httpx>=0.28", "flask>=3;"]
