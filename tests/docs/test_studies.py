"""The studies of the five games: their figures are those of the command that stands on the page.

`python -m tests.docs.test_studies GAME` prints the table of a page from docs/studies/GAME.json.
"""

import json
import re
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import plyscribe.service.laboratory
from plyscribe.domain.rulesets import find_ruleset, list_newest
from plyscribe.service.laboratory.catalogue import MEASURES
from plyscribe.service.laboratory.conclusions import draw_conclusions, format_number, format_share

ROOT = Path(__file__).parents[2]
STUDIES = ROOT / "docs" / "studies"
SCHEMA = json.loads((Path(plyscribe.service.laboratory.__file__).parent / "study.schema.json").read_text())
GAMES = [ruleset.id for ruleset in list_newest() if (STUDIES / f"{ruleset.id}.json").exists()]


def read_study(game):
    return json.loads((STUDIES / f"{game}.json").read_text(encoding="utf-8"))


def list_rows(findings):
    """The lines of the table on the page of a game."""
    play = findings["play"]
    yield f"| between equal bots | {' | '.join(play)} |"
    yield f"|---|{'---|' * len(play)}"
    for seat in range(findings["subject"]["seats"]):
        yield row(
            play, f"score of seat {seat + 1}", lambda found, seat=seat: format_share(found["seats"][seat]["score"])
        )
    yield row(play, "timeouts", lambda found: format_share(found["timeouts"]))
    yield row(play, "moves", lambda found: format_number(found["length"]["plies"]["mean"]))
    yield row(play, "branching factor", lambda found: format_number(found["choices"]["branching_factor"]))
    yield row(play, "lead changes", lambda found: format_number(found["swings"]["lead_changes"]))
    yield row(play, "comebacks", lambda found: format_share(found["swings"]["comebacks"]))
    yield row(play, "decided after", lambda found: format_share(found["swings"]["decided_at"]))
    yield ""
    yield "| skill and luck | |"
    yield "|---|---|"
    for each in findings["gradient"]:
        yield f"| {each['strong']} against {each['weak']} | {format_share(each['score'])} |"
    for key, name in (("all_bots", "all bots"), ("without_random", "without random")):
        yield f"| skill, {name} | {format_share(findings['luck'][key]['skill'])} |"
        if findings["subject"]["has_chance"]:
            yield f"| luck, {name} | {format_share(findings['luck'][key]['luck'])} |"


def row(play, name, read):
    return f"| {name} | {' | '.join(read(found) for found in play.values())} |"


def test_every_game_has_its_study():
    assert sorted(GAMES) == ["crystals", "pathagon", "portals", "rings", "zhen"]


@pytest.mark.parametrize("game", GAMES)
def test_the_figures_of_a_page_are_those_of_its_study(game):
    findings, page = read_study(game), (STUDIES / f"{game}.md").read_text(encoding="utf-8")
    Draft202012Validator({"$defs": SCHEMA["$defs"], "$ref": "#/$defs/report"}).validate(findings)
    assert "\n".join(list_rows(findings)) in page


@pytest.mark.parametrize("game", GAMES)
def test_the_command_of_a_page_makes_its_study(game):
    findings, page = read_study(game), (STUDIES / f"{game}.md").read_text(encoding="utf-8")
    [thinking] = [bot["playouts"] for bot in findings["bots"] if bot["bot"] == "mcts"][:1]
    asked = f"--matches {findings['matches']} --playouts {thinking} --seed {findings['seed']}"
    version = findings["subject"]["version"]
    assert f"    plyscribe study {game}:{version} {asked} --out study-{game}\n" in page
    bots = {bot["name"].split()[0]: bot["version"] for bot in findings["bots"]}
    assert f"`mcts` version {bots['mcts']}" in page
    ruleset = find_ruleset(game, version)
    assert findings["subject"]["options"] == ruleset.parse_options({})
    assert findings["subject"]["behaviour"] == ruleset.behaviour
    assert findings["conclusions"] == draw_conclusions(findings)


@pytest.mark.parametrize("game", GAMES)
def test_every_plot_of_a_page_is_small_and_there(game):
    page = (STUDIES / f"{game}.md").read_text(encoding="utf-8")
    plots = re.findall(r"!\[[^\]]+\]\(([^)]+\.svg)\)", page)
    assert len(plots) >= 3
    for plot in plots:
        assert (STUDIES / plot).stat().st_size < 60_000


def test_the_page_of_the_laboratory_names_every_measure_with_its_formula_and_source():
    page = (ROOT / "docs" / "laboratory.md").read_text(encoding="utf-8")
    for measure in MEASURES:
        assert f"| {measure.title} | {measure.formula} | {measure.source} |" in page


if __name__ == "__main__":
    sys.stdout.write("\n".join(list_rows(read_study(sys.argv[1]))) + "\n")
