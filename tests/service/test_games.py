"""Games of other packages: found by entry point or by name, complete or bare, and refused with what to do."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from plyscribe.domain.effects import Effect
from plyscribe.domain.phrases import say
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import RULESETS, find_ruleset
from plyscribe.service import games
from plyscribe.service.boards import draw_beginning, draw_board, explain_move, find_board
from plyscribe.service.boards.colours import render_colours
from plyscribe.service.cli.verifying import CannotVerify, verify_bundles
from plyscribe.service.config import ConfigError, load_ruleset, register_rulesets, require_parts
from plyscribe.service.health.doctor.machine import examine_machine
from plyscribe.service.kit.game_package import make_package
from plyscribe.service.language.guidance import count_score, find_goal, find_prompt, list_purposes, list_ways
from plyscribe.service.language.option_texts import describe_option, describe_preset
from plyscribe.service.language.sentences import describe_effects, translate
from plyscribe.service.lessons import list_cards, list_lessons
from plyscribe.service.rulebooks import find_language, read_clauses
from tests.domain.toy import TOY_V1, ToyV1

Install = Callable[..., Path]

BARE = """
from tests.domain.toy import ToyV1

class Bare(ToyV1):
    id = "{id}"

GAME = Bare()
"""


def look_again() -> None:
    """Forget which packages are installed."""
    games.list_entry_points.cache_clear()
    games.find_installed.cache_clear()


@pytest.fixture(autouse=True)
def _registry_apart(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A registry that each test has for itself."""
    monkeypatch.setattr(games, "_GAMES", {})
    monkeypatch.setattr(games, "_SOURCES", {})
    known = RULESETS[:]
    look_again()
    yield
    RULESETS[:] = known
    look_again()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a package with one module of the same name, and an entry point for `GAME` in it."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def add(name: str, source: str, value: str = "") -> Path:
        sys.modules.pop(name, None)
        (tmp_path / f"{name}.py").write_text(source)
        about = tmp_path / f"{name}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[plyscribe.rulesets]\n{name} = {value or f'{name}:GAME'}\n")
        look_again()
        return tmp_path

    return add


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_package("gravel", tmp_path_factory.mktemp("made"))


def refuse(do: Callable[[], object]) -> str:
    with pytest.raises(ConfigError) as refused:
        do()
    return str(refused.value)


@pytest.fixture
def gravel(package: Path, monkeypatch: pytest.MonkeyPatch) -> AnyRuleset:
    monkeypatch.syspath_prepend(str(package))
    register_rulesets("gravel:GAME")
    return find_ruleset("gravel")


def test_an_installed_package_brings_its_games(install):
    both = BARE.format(id="two") + "class Second(Bare):\n    version = 2\n\nBOTH = (GAME, Second())\n"
    install("bareone", BARE.format(id="bareone"))
    install("two", both, "two:BOTH")
    register_rulesets("")
    assert find_ruleset("bareone").title == "Toy race"
    assert [find_ruleset("two", version).version for version in (1, 2)] == [1, 2]


def test_a_game_without_more_is_shown_as_text_with_its_kinds_and_names(install):
    install("plainone", BARE.format(id="plainone"))
    register_rulesets("")
    plain = find_ruleset("plainone")
    require_parts()
    assert find_board(plain) is None
    assert "mono" in draw_beginning(plain)
    assert explain_move(plain, "push") is None
    took = Effect("took", "TO3", seat=1, amount=1)
    assert describe_effects(plain, [took], "en", {1: "Ann"}) == ["Took: seat Ann, amount 1."]
    assert describe_option(plain, "ply_limit", "de").label == "Ply limit"
    assert (list_lessons(plain), list_cards(plain), read_clauses("plainone", 1)) == ((), (), {})
    assert find_goal(plain) is find_prompt(plain, {}, 1) is count_score(plain, {}) is None


def test_a_game_brings_board_colours_words_lessons_and_rules(gravel):
    register_rulesets("gravel:GAME,gravel.rules:GRAVEL_V1")
    assert find_ruleset("gravel") is gravel, "it may be named and installed and registered again"
    assert find_board(gravel)
    require_parts()
    picture = ElementTree.fromstring(draw_board(gravel, gravel.initial_state(gravel.parse_options({}), 2)))
    assert len([each for each in picture.iter() if each.get("data-key")]) == 21
    assert ".gravel-stone { fill: #56697f; }" in render_colours("light")
    assert ".gravel-stone { fill: #a9bdd4; }" in render_colours("dark")
    taken = [Effect("took", "GR2", seat=1, amount=2)]
    assert describe_effects(gravel, taken, "en", {1: "Ann"}) == ["Ann takes 2 stones."]
    assert describe_effects(gravel, taken, "de", {1: "Ann"}) == ["Ann nimmt 2 Steine."]
    assert describe_option(gravel, "most", "de").label == "Steine pro Zug"
    assert describe_preset(gravel, "short", "en").sentence == "Nine stones."
    assert translate(find_goal(gravel) or say(""), "de", {}).startswith("Nimm Steine")
    assert find_prompt(gravel, {}, 1)
    assert "last-stone" in list_ways()
    assert list_purposes()["turn"] == say("for the turn")
    assert [lesson.name for lesson in list_lessons(gravel)] == ["last", "four"]
    assert len(list_cards(gravel)) == 1
    assert list(read_clauses("gravel", 1)) == list(read_clauses("gravel", 1, "de")) == ["GR1", "GR2", "GR3", "GR4"]
    assert find_language("gravel", 1, "de") == "de"


def test_what_plyscribe_says_itself_keeps_its_translation(gravel, package):
    catalogue = package / "gravel/de/more.po"
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    catalogue.write_text(f'{head}msgid "seat {{number}}"\nmsgstr "X"\n')
    assert translate(say("{seat}", seat=1), "de", {}) == "Platz 1"
    catalogue.unlink()


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("1 / 0", "ZeroDivisionError"),
        ("GAME = 7", "this is not a ruleset, a Game, or a tuple or list of these"),
        ("def f(:", "SyntaxError"),
        ("OTHER = 1", "AttributeError"),
        (BARE.format(id="My game"), "the ruleset is 'My game' version 1: use letters a-z"),
        (BARE.format(id="bare") + "class Half(Bare):\n    version = '1'\nGAME = Half()", "version '1': use letters"),
    ],
)
def test_a_package_that_cannot_be_loaded_is_named_with_what_to_do(install, source, why):
    install("faulty", source)
    told = refuse(lambda: register_rulesets(""))
    assert told.startswith("the package faulty 1.0 (entry point faulty = faulty:GAME)")
    assert why in told
    assert "mend or uninstall it: " in told
    assert "-m pip uninstall faulty" in told


def test_a_ruleset_without_what_every_service_reads_is_refused(install):
    class Lacking(ToyV1):
        @property
        def effect_kinds(self) -> None:
            raise AttributeError

    with pytest.raises(games.GameError, match="the ruleset Lacking lacks effect_kinds"):
        games.list_rules(Lacking(), "it")


def test_a_ruleset_that_is_there_already_is_refused_with_both_sources(install):
    install("faulty", BARE.format(id="zhen"))
    assert "zhen version 1 (Plyscribe itself has that)" in refuse(lambda: register_rulesets(""))
    install("other", BARE.format(id="twice"))
    install("second", BARE.format(id="twice"))
    path = install("third", "GAME = ()")
    (path / "faulty-1.0.dist-info/entry_points.txt").unlink()
    look_again()
    told = refuse(lambda: register_rulesets(""))
    assert told.startswith("the package second 1.0")
    assert "registered as twice version 1 (the package other 1.0 (entry point other = other:GAME))" in told


def test_a_broken_package_stops_what_needs_rulesets_and_the_doctor_says_so(install, tmp_path):
    install("faulty", "import no_such_module")
    with pytest.raises(CannotVerify, match=r"the package faulty 1\.0 .* cannot be loaded"):
        verify_bundles([tmp_path / "match.ndjson"], [])
    found = [each for each in examine_machine(tmp_path, "127.0.0.1", 1, {}) if each.topic == "ruleset"]
    [wrong] = [each for each in found if each.state == "wrong"]
    assert "the package faulty 1.0" in wrong.text
    assert "uninstall the package" in str(wrong.remedy)


@pytest.mark.parametrize(
    ("part", "why"),
    [
        ("board='no_such_board'", "no_such_board, its board, cannot be loaded: ModuleNotFoundError"),
        ("words='tests.domain.toy'", "tests.domain.toy, its words, has no SENTENCES: add it"),
        ("rulebook=Path('nowhere.md')", "its rulebook nowhere.md is missing: add it to the package's data"),
        ("translations=Path('nowhere')", "its folder of translations nowhere is missing"),
    ],
)
def test_a_part_that_cannot_be_read_is_told_before_a_service_starts(install, part, why):
    imports = "from pathlib import Path\nfrom plyscribe import Game"
    source = f"{BARE.format(id='halfone')}\n{imports}\nGAME = Game(GAME, {part})\n"
    install("halfone", source)
    register_rulesets("")
    told = refuse(require_parts)
    assert why in told
    assert told.startswith("halfone version 1 (the package halfone 1.0")


def test_a_candidate_may_be_a_game_but_not_several(install):
    install("several", BARE.format(id="several") + "NONE = ()\nBOTH = (GAME, GAME)\n")
    assert load_ruleset("several:GAME", "--candidate").id == "several"
    with pytest.raises(ConfigError, match="brings no ruleset"):
        load_ruleset("several:NONE", "--candidate")
    with pytest.raises(ConfigError, match="several rulesets: name one of them"):
        load_ruleset("several:BOTH", "--candidate")


def test_the_public_library_loads_all_rulesets(install, monkeypatch):
    install("libraryone", BARE.format(id="libraryone"))
    monkeypatch.setenv("PLYSCRIBE_RULESETS", "tests.domain.toy:TOY_V1")
    assert {"zhen", "libraryone", "toy"} <= {ruleset.id for ruleset in games.load_rulesets()}
    assert TOY_V1 in RULESETS
