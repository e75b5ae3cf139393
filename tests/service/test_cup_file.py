"""The file of a tournament: what stands in it, and what is wrong with it."""

from pathlib import Path

import pytest

from plyscribe.service.cli.cup_file import Program, ServerBot, read_file
from plyscribe.service.cli.organiser import TournamentError

HEAD = 'name = "Cup"\nruleset = "zhen"\n'


def read(folder: Path, entrants: str) -> list:
    (folder / "cup.toml").write_text(HEAD + entrants)
    return read_file(folder / "cup.toml")[1]


def test_a_bot_of_the_server_has_its_terms_and_a_label(tmp_path):
    assert read(tmp_path, '[[entrants]]\nbot = "mcts"\nplayouts = 50\nlabel = "Monty"') == [
        ServerBot({"name": "mcts", "playouts": 50}, "Monty", {})
    ]


def test_a_program_is_found_from_the_folder_of_the_file_and_is_its_own_build(tmp_path):
    [program] = read(tmp_path, '[[entrants]]\ncommand = ["./bots/mine", "--key", "secret"]\nname = "Mine"')
    assert isinstance(program, Program)
    assert program.argv == (str(tmp_path / "bots" / "mine"), "--key", "secret")
    assert program.folder == tmp_path
    assert program.source.files == [tmp_path / "bots" / "mine"]
    assert (program.source.command, program.source.version, program.source.options) == ("mine", None, {})


def test_of_a_program_with_an_interpreter_the_first_file_gives_the_name(tmp_path):
    text = '[[entrants]]\ncommand = ["python3", "mine.py"]\nname = "Mine"\nbuild = ["mine.py", "engine"]\n'
    [program] = read(tmp_path, text + "options = {level = 3, risk = 0.5}\nmove_timeout = 5\nconcurrency = 2\n")
    assert program.argv == ("python3", "mine.py")
    assert program.source.command == "mine.py"
    assert program.source.options == {"level": 3, "risk": "0.5"}
    assert (program.move_timeout_s, program.concurrency, program.ask_draws) == (5.0, 2, False)


@pytest.mark.parametrize(
    ("entrants", "why"),
    [
        ("entrants = 3", "list the entrants as"),
        ("entrants = [3]", "list the entrants as"),
        ('[[entrants]]\nname = "x"', "entrant 1 needs either a bot of the server or the command of a program"),
        ('[[entrants]]\nbot = "mcts"\ncommand = ["./x"]', "entrant 1 needs either a bot"),
        ('[[entrants]]\nbot = "mcts"\nlevel = 3', "entrant 1 has the unknown 'level'; known: bot, label"),
        ('[[entrants]]\ncommand = ["./x"]\nplayouts = 3', "entrant 1 has the unknown 'playouts'"),
        ('[[entrants]]\ncommand = ["./x"]', "entrant 1 needs a name"),
        ('[[entrants]]\ncommand = ["./x"]\nname = 3', "name is a text"),
        ('[[entrants]]\ncommand = "./x"\nname = "X"', "command is a list of texts"),
        ('[[entrants]]\ncommand = []\nname = "X"', "command is a list of texts"),
        ('[[entrants]]\ncommand = ["python3", "x.py"]\nname = "X"', "python3 is a program of this machine"),
        ('[[entrants]]\ncommand = ["./x"]\nname = "X"\nbuild = [3]', "build is a file or folder, or a list"),
        ('[[entrants]]\ncommand = ["./x"]\nname = "X"\ndigest = "abc"', "a digest is a SHA-256"),
        ('[[entrants]]\ncommand = ["./x"]\nname = "X"\nversion = ""', "a version has 1 to 48"),
        ('[[entrants]]\ncommand = ["./x"]\nname = "X"\noptions = {a = []}', "option a is not"),
        ('[[entrants]]\ncommand = ["./x"]\nname = "X"\nmove_timeout = "5"', "move_timeout is a number of seconds"),
        ('[[entrants]]\ncommand = ["./x"]\nname = "X"\nconcurrency = 0', "concurrency is 1 to 64"),
        ('[[entrants]]\ncommand = ["./x"]\nname = "X"\nask_draws = 1', "ask_draws is true or false"),
        ('[[entrants]]\ncommand = ["./x"]\nname = "X"\n' * 2, "two programs are called 'x'"),
    ],
)
def test_what_is_wrong_is_told_with_the_number_of_the_entrant(tmp_path, entrants, why):
    with pytest.raises(TournamentError) as refused:
        read(tmp_path, entrants)
    assert why in str(refused.value)
