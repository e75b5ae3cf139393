"""The proofs on disk: written, kept, and refused where a released ruleset changed. The digest over them."""

from collections.abc import Iterator
from json import dumps, loads
from pathlib import Path
from shutil import copytree
from types import MappingProxyType
from typing import Any

import pytest

from plyscribe.domain.errors import IllegalMove
from plyscribe.domain.proofs.cases import (
    CARD,
    DIGEST,
    EXAMPLE,
    PERFT,
    Cases,
    behaviour_digest,
    parse_cases,
    playthrough_file,
    prove,
)
from plyscribe.domain.proofs.playthrough import PlaythroughCase
from plyscribe.domain.ruleset import RandBelow
from plyscribe.service.kit.proof_files import (
    CASES,
    Unproved,
    explain_change,
    name_ruleset,
    read_cases,
    require_proofs,
    write_proofs,
)
from tests.domain.prove import PROOFS, PROVED
from tests.domain.toy import TOY_V1, Give, Race, ToyMove, ToyV1


class Newcomer(ToyV1):
    id = "newcomer"
    version = 3


def test_other_options_seats_or_presets_are_another_behaviour() -> None:
    class Narrow(ToyV1):
        def options_schema(self) -> dict[str, Any]:
            return {**super().options_schema(), "properties": {}}

    class Crowded(ToyV1):
        max_seats = 5

    class Named(ToyV1):
        presets = MappingProxyType({"plain": {"dice": 0}})

    cases = Cases((), ())
    digests = {prove(ruleset, cases)[DIGEST] for ruleset in (TOY_V1, ToyV1(), Narrow(), Crowded(), Named())}
    assert len(digests) == 4


def test_a_ruleset_without_proofs_is_told_what_to_write_and_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(AssertionError) as caught:
        require_proofs(Newcomer(), tmp_path)
    message = str(caught.value)
    assert "newcomer_v3/cases.json" in message
    assert EXAMPLE in message
    assert "plyscribe rules prove newcomer --version 3" in message


@pytest.mark.parametrize("missing", [CARD, PERFT, DIGEST, "playthrough-plain.txt"])
def test_a_ruleset_with_a_proof_missing_is_told_the_command(tmp_path: Path, missing: str) -> None:
    newcomer = settle_newcomer(tmp_path)
    require_proofs(newcomer, tmp_path)
    ((tmp_path / name_ruleset(newcomer)) / missing).unlink()
    with pytest.raises(Unproved, match=rf"lacks {missing}: run plyscribe rules prove newcomer --version 3"):
        require_proofs(newcomer, tmp_path)


def settle_newcomer(root: Path) -> Newcomer:
    newcomer = Newcomer()
    (root / name_ruleset(newcomer)).mkdir(parents=True)
    cases = {
        "perft": [{"name": "plain", "seats": 2, "depth": 2}],
        "playthroughs": [{"name": "plain", "seats": 2, "seed": 1}],
    }
    ((root / name_ruleset(newcomer)) / CASES).write_text(dumps(cases))
    write_proofs(newcomer, root)
    return newcomer


def test_a_transcript_of_no_case_is_reported_and_removed_by_the_command(tmp_path: Path) -> None:
    newcomer = settle_newcomer(tmp_path)
    ((tmp_path / name_ruleset(newcomer)) / "playthrough-old.txt").write_text("")
    with pytest.raises(Unproved, match=r"playthrough-old.txt, which no case asks for"):
        require_proofs(newcomer, tmp_path)
    write_proofs(newcomer, tmp_path)
    require_proofs(newcomer, tmp_path)


def test_a_released_ruleset_that_changed_is_not_proved_anew(tmp_path: Path) -> None:
    newcomer = settle_newcomer(tmp_path)
    digest = (tmp_path / name_ruleset(newcomer)) / DIGEST
    digest.write_text(digest.read_text().replace("draft", "released"))
    released = digest.read_text()
    write_proofs(newcomer, tmp_path)
    assert digest.read_text() == released
    digest.write_text(f"{'0' * 64} released\n")
    with pytest.raises(Unproved, match="released and frozen") as caught:
        write_proofs(newcomer, tmp_path)
    assert explain_change(newcomer, tmp_path) in str(caught.value)


def test_who_changed_a_ruleset_is_told_to_prove_a_draft_anew_and_to_make_a_new_version_of_a_released_one(tmp_path):
    newcomer = settle_newcomer(tmp_path)
    steps = explain_change(newcomer, tmp_path)
    assert "newcomer_v3 is a draft" in steps
    assert "plyscribe rules prove newcomer --version 3" in steps
    assert "plyscribe rules check newcomer --version 3" in steps
    digest = (tmp_path / name_ruleset(newcomer)) / DIGEST
    digest.write_text(digest.read_text().replace("draft", "released"))
    steps = explain_change(newcomer, tmp_path)
    assert "newcomer_v3 is released and frozen" in steps
    for step in (
        f"copy {__name__} to one for version 4",
        "version = 4",
        "write a rulebook for version 4",
        f"{tmp_path}/newcomer_v4",
        "plyscribe rules prove newcomer --version 4",
        "plyscribe rules check newcomer --version 4",
    ):
        assert step in steps


def test_a_new_version_has_the_number_after_the_newest(tmp_path: Path) -> None:
    folder = tmp_path / name_ruleset(TOY_V1)
    copytree(PROOFS / name_ruleset(TOY_V1), folder)
    (folder / DIGEST).write_text(f"{TOY_V1.behaviour} released\n")
    assert f"{tmp_path}/toy_v3" in explain_change(TOY_V1, tmp_path, PROVED)


class OtherDraws(Newcomer):
    """The same rules, whose random moves are drawn otherwise."""

    def sample_move(self, state: Race, randbelow: RandBelow) -> ToyMove:
        randbelow(2)
        return super().sample_move(state, randbelow)


def test_proving_anew_keeps_the_matches_on_file_though_moves_are_drawn_otherwise(tmp_path: Path) -> None:
    folder = tmp_path / name_ruleset(settle_newcomer(tmp_path))
    before = {path.name: path.read_text() for path in folder.iterdir()}
    assert prove(OtherDraws(), parse_cases(loads(before[CASES])))[DIGEST] != before[DIGEST]
    write_proofs(OtherDraws(), tmp_path)
    assert {path.name: path.read_text() for path in folder.iterdir()} == before


class NoGifts(Newcomer):
    """Nobody gives."""

    def parse_move(self, state: Race, text: str) -> ToyMove:
        move = super().parse_move(state, text)
        if isinstance(move, Give):
            raise IllegalMove(text, state.ply, "TO13", "nobody gives")
        return move

    def legal_moves(self, state: Race, prefix: str = "") -> Iterator[ToyMove]:
        return (move for move in super().legal_moves(state, prefix) if not isinstance(move, Give))


def test_a_match_on_file_that_cannot_be_played_any_more_is_chosen_anew() -> None:
    cases = Cases((), (PlaythroughCase("gifts", 2, seed=2, options={"dice": 0}),))
    told = prove(Newcomer(), cases)
    name = playthrough_file(cases.playthroughs[0])
    assert "> move give" in told[name]
    assert "> move give" not in prove(NoGifts(), cases, told)[name]


def test_the_digest_covers_every_line_but_drawings() -> None:
    files = {"perft.txt": "perft 1 2\n", "playthrough-a.txt": "ply 0\n| board\n"}
    digest = behaviour_digest(files)
    assert behaviour_digest(dict(reversed(files.items()))) == digest
    assert behaviour_digest({**files, "playthrough-a.txt": "ply 0\n| better\n| board\n"}) == digest
    others = [
        {**files, "perft.txt": "perft 1 3\n"},
        {**files, "playthrough-b.txt": ""},
        {"perft.txt": "perft 1 2\nply 0\n", "playthrough-a.txt": ""},
    ]
    assert digest not in {behaviour_digest(other) for other in others}


def test_proving_twice_gives_the_same_files() -> None:
    cases = read_cases(TOY_V1, PROOFS)
    assert prove(TOY_V1, cases) == prove(TOY_V1, cases)


def test_the_example_of_cases_can_be_read() -> None:
    cases = parse_cases(loads(EXAMPLE))
    assert [depth for _, depth in cases.perft] == [3, 2]
    assert cases.playthroughs[2].rolls == ((3, 5),)


@pytest.mark.parametrize(
    "raw",
    [
        [],
        {"perft": []},
        {"perft": [], "playthroughs": []},
        {"perft": [{"name": "a", "seats": 2}], "playthroughs": [{"name": "a", "seats": 2, "seed": 1}]},
        {"perft": [{"name": "a", "seats": 2, "depth": 1}], "playthroughs": [{"name": "A b", "seats": 2, "seed": 1}]},
        {"perft": [{"name": "a", "seats": 2, "depth": 1}], "playthroughs": [{"name": "a", "seats": 2, "sed": 1}]},
        {"perft": [{"name": "a", "seats": 2, "depth": 1}] * 2, "playthroughs": [{"name": "a", "seats": 2, "seed": 1}]},
    ],
)
def test_cases_that_make_no_sense_are_refused(raw: object) -> None:
    with pytest.raises(ValueError, match=r"cases\.json"):
        parse_cases(raw)
