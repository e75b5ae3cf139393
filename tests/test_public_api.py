"""`import plyscribe`: the public names, and the manual that is their docstring."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import plyscribe
from tests.manual import RUN, write_files


def alone(code: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)


def test_the_manual_is_right(tmp_path):
    write_files(tmp_path)
    ran = alone(RUN, tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("name", plyscribe.__all__)
def test_each_public_name_is_there_and_says_what_it_is(name):
    assert getattr(plyscribe, name).__doc__
    assert name in dir(plyscribe)


def test_a_type_checker_sees_the_names_that_are_imported():
    tree = ast.parse(Path(plyscribe.__file__).read_text(encoding="utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    homes: dict[str, list[str]] = {}
    for line in block.body:
        homes.setdefault(line.module, []).extend(ast.unparse(alias) for alias in line.names)
    assert {module: sorted(names) for module, names in homes.items()} == {
        module: sorted(names) for module, names in plyscribe._HOMES.items()
    }


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'chess'"):
        plyscribe.chess  # noqa: B018


def test_importing_the_library_imports_nothing_else(tmp_path):
    ran = alone(
        "import sys, plyscribe; print([name for name in sys.modules if name.startswith('plyscribe.')])", tmp_path
    )
    assert ran.stdout == "[]\n"


def test_all_but_the_client_does_without_httpx(tmp_path):
    names = [name for name in plyscribe.__all__ if name not in ("Client", "Problem")]
    code = f"import sys; sys.modules['httpx'] = None; import plyscribe; [getattr(plyscribe, n) for n in {names}]"
    assert alone(code, tmp_path).returncode == 0
