"""Datasets: which matches are in one, what their rows say, and that the same matches lead to the same rows."""

import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from plyscribe.domain.clocks import read_timing
from plyscribe.domain.match import Match, fold
from plyscribe.domain.positions import position_key
from plyscribe.domain.replay import position_at
from plyscribe.domain.ruleset import Over
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.datasets import parquet
from plyscribe.service.datasets.making import Order, make_dataset
from plyscribe.service.datasets.schema import TABLES, build_schema
from plyscribe.service.datasets.splits import SPLITS, split_of
from plyscribe.service.datasets.tabulating import _Running, describe_rows
from tests.service.making_datasets import BOTS, LATER, Dataset, Rig


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


# ----------------------------------------------------------------------------------------------------- which matches


def test_only_public_finished_verified_matches_of_the_ruleset_are_in_a_dataset(rig: Rig) -> None:
    first, second = rig.play(), rig.play()
    rig.play(private=True)
    rig.record("+5")
    rig.api.new_match(rig.token, BOTS, "toy")
    rig.annul(annulled := rig.play())
    made = rig.make("toy")
    assert annulled not in made.matches
    assert made.matches == sorted((first, second), key=rig.find_place)
    assert {row["match"] for row in made.rows("plies")} == {first, second}
    assert made.sheet["matches"]["count"] == 2


def test_what_the_list_still_shows_is_judged_by_its_stream(rig: Rig) -> None:
    match = rig.play()
    rig.parts.lists.lag()
    entries = rig.parts.matches.read_events(match, 0)
    rig.annul(match)
    order, folder = Order("toy", LATER), rig.folder
    candidates = [(match, rig.parts.matches.read_events(match, 0)), (match, entries[:-3]), (match, entries)]
    spoiled = [entries[0]._replace(h=bytes(32)), *entries[1:]]
    made = make_dataset([*candidates, (match, spoiled)], order, folder)  # type: ignore[list-item]
    assert Dataset(folder, made).matches == [match]
    assert made.left_out == {"annulled": 1, "unverified": 1, "damaged": 1}


def test_the_cut_leaves_out_what_ended_at_it_or_later(rig: Rig) -> None:
    early = rig.play()
    ended_at = rig.parts.matches.read(early).life.ended_at
    assert rig.make("toy", until_ms=ended_at + 1).matches == [early]
    empty = rig.make("toy", until_ms=ended_at)
    assert [empty.rows(table) for table in TABLES] == [[], [], []]
    assert "There are no matches in it." in (empty.folder / "datasheet.md").read_text()


# ------------------------------------------------------------------------------------------------------ same matches


def test_the_same_matches_lead_to_the_same_bytes_and_digests_of_rows(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        rig.play()
    first = rig.make("toy", until_ms=LATER)
    rig.record("+5")
    assert rig.make("toy", until_ms=LATER).text() == first.text()
    monkeypatch.setattr(parquet, "LEVEL", 1)
    tables, again = first.sheet["tables"], rig.make("toy", until_ms=LATER).sheet["tables"]
    assert [table["content"] for table in again.values()] == [table["content"] for table in tables.values()]
    assert again["plies"]["sha256"] != tables["plies"]["sha256"]


def test_tables_are_written_in_row_groups_of_a_fixed_size(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "AT_ONCE", 8)
    monkeypatch.setattr(parquet, "GROUP_ROWS", 16)
    rig.play("zhen")
    made = rig.make()
    found = pq.ParquetFile(made.folder / "plies.parquet").metadata
    sizes = [found.row_group(number).num_rows for number in range(found.num_row_groups)]
    assert len(sizes) > 1
    assert set(sizes[:-1]) == {16}
    assert [row["step"] for row in made.rows("plies")] == list(range(sum(sizes)))


def test_a_split_follows_from_the_id_of_the_match_and_stays(rig: Rig) -> None:
    """These splits were computed once. If they change, every result that anybody compared is void."""
    ids = [f"match-{letter * 26}" for letter in "defghijklmn"]
    known = "test train train train train train train train train validation test"
    assert " ".join(map(split_of, ids)) == known
    rng = random.Random(7)
    counts = dict.fromkeys(SPLITS, 0)
    for _ in range(2000):
        counts[split_of(f"match-{rng.getrandbits(130):026x}")] += 1
    assert {split: round(count / 200) for split, count in counts.items()} == {"train": 8, "validation": 1, "test": 1}


# --------------------------------------------------------------------------------------------------------- the rows


@pytest.mark.parametrize("ruleset", ["zhen", "rings", "crystals", "toy"])
def test_the_rows_of_a_match_replay_it(rig: Rig, ruleset: str) -> None:
    match = rig.play(ruleset)
    made = rig.make(ruleset)
    [row] = made.rows("matches")
    rules = find_ruleset(ruleset)
    state = rules.initial_state(json.loads(row["options"]), len(row["seats"]))
    ply = 0
    for step in made.rows("plies"):
        assert (step["ply"], step["position"]) == (ply, position_key(rules, state))
        assert step["evaluation"] == [rules.evaluate(state, seat) for seat in range(1, len(row["seats"]) + 1)]
        assert step["effects"]
        if step["kind"] == "move":
            state, ply = rules.apply_move(state, rules.parse_move(state, step["move"])), ply + 1
        else:
            state = rules.apply_roll(state, tuple(step["roll"]))
        assert step["ranks"] == row["ranks"]
        assert step["split"] == row["split"] == split_of(match)
    assert (ply, position_key(rules, state)) == (row["plies"], row["final_position"])
    assert rules.turn(state) == Over(row["reason"], tuple(row["ranks"]))


def test_what_a_recorder_enters_has_no_times_and_no_names_and_says_so(rig: Rig) -> None:
    rig.record("+5", "+6", about={"place": "Back room of the Crown", "event": "Secret cup"})
    made = rig.make()
    [row] = made.rows("matches")
    assert (row["recorded"], row["reason"], row["ranks"]) == (True, "withdrawal", [1, 2])
    assert [(seat["kind"], seat["player"]) for seat in row["seats"]] == [("guest", None), ("account", rig.account)]
    steps = [(step["kind"], step["seat"], step["took_ms"]) for step in made.rows("plies")]
    assert steps == [("move", 1, None), ("move", 2, None), ("left", 2, None)]
    assert "1 were entered by a recorder" in (made.folder / "datasheet.md").read_text()
    everything = made.text() + repr([made.rows(table) for table in TABLES]).encode()
    assert not [word for word in (b"Zoe", b"Crown", b"Secret", b"Player 1") if word in everything]


def test_steps_that_were_taken_back_are_not_there(rig: Rig) -> None:
    match = rig.api.new_match(rig.token, [{"name": "A"}, {"name": "B"}], "zhen", recorded=True)
    for path, body in (
        ("moves", {"move": "+5"}),
        ("moves", {"move": "+6"}),
        ("take-back", {"ply": 1}),
        ("moves", {"move": "+7"}),
        ("withdrawal", {"seat": 1}),
        ("confirmation", {}),
    ):
        rig.api.post(f"/v1/matches/{match}/{path}", rig.token, body)
    rig.verify(match)
    assert [step["move"] for step in rig.make().rows("plies")] == ["+5", "+7", None]


def test_a_fork_has_only_the_moves_that_were_made_in_it(rig: Rig) -> None:
    seats = [{"player": rig.account}] * 2
    fork = rig.api.new_match(rig.token, seats, "zhen", steps=[{"move": "+5"}, {"move": "+6"}])
    rig.api.post(f"/v1/matches/{fork}/moves", rig.token, {"move": "+7"})
    rig.api.post(f"/v1/matches/{fork}/withdrawal", rig.token, {"seat": 1})
    rig.verify(fork)
    made = rig.make()
    [row] = made.rows("matches")
    assert (row["plies"], row["copied_plies"]) == (3, 2)
    assert [(step["step"], step["ply"], step["move"]) for step in made.rows("plies")] == [(2, 2, "+7"), (3, 3, None)]
    assert made.sheet["matches"]["forks"] == 1


def test_clocks_are_those_that_the_service_shows(rig: Rig) -> None:
    ann, token = rig.api.sign_up()
    limits = {"move_ms": None, "match_ms": 60_000, "increment_ms": 2_000}
    match = rig.api.new_match(token, [{"player": ann}] * 2, "zhen", limits=limits)
    path, shown = f"/v1/matches/{match}", list[dict[str, Any]]()
    for move in ("+5", "+6", "+7"):
        shown.append(rig.api.get(path).json["clock"])
        rig.api.post(f"{path}/moves", token, {"move": move})
    spent = rig.api.get(path).json["clock"]["spent_ms"]
    rig.api.post(f"{path}/withdrawal", token, {"seat": 1})
    rig.verify(match)
    moves = [step for step in rig.make().rows("plies") if step["kind"] == "move"]
    assert [step["took_ms"] for step in moves] == spent
    assert [step["clock_ms"] for step in moves] == [clock["left_ms"][ply % 2] for ply, clock in enumerate(shown)]


def test_a_clock_that_is_charged_move_by_move_is_that_of_the_rules() -> None:
    phases = [{"after": 2, "add_ms": 700, "increment_ms": 50}]
    for more in ({"delay_ms": 300}, {"move_ms": 4_000, "bronstein_ms": 300}, {"phases": phases}, {"match_ms": None}):
        limits: dict[str, Any] = {"move_ms": 5_000 if "match_ms" in more else None, "match_ms": 9_000, **more}
        timing, rng, spent = read_timing(limits, 1), random.Random(3), list[int]()
        running = _Running(timing)
        for _ in range(8):
            assert running.time_for_next(0, 0) == timing.time_for_next(len(spent), timing.time_after(spent)), limits
            spent.append(rng.randrange(1_000))
            running.charge(spent[-1])


def test_openings_count_the_lines_of_a_split_and_how_they_ended(rig: Rig) -> None:
    played = [rig.record(*moves) for moves in (("+5", "+6"), ("+5", "+6"), ("+5", "+7"), ("+5", "+6", "+7"))]
    splits = {id: split_of(id) for id in played}
    rows = rig.make().rows("openings")
    for split in SPLITS:
        here = [id for id in played if splits[id] == split]
        first = [row for row in rows if row["split"] == split and row["line"] == ["+5"]]
        assert [row["matches"] for row in first] == ([len(here)] if len(here) > 1 else [])
        assert all(row["firsts"] == [len(here), 0] and row["rank_sums"] == [len(here), 2 * len(here)] for row in first)
    match = rig.parts.matches.read(played[0])
    reached = position_key(match.play.ruleset, position_at(match, 1).state)  # type: ignore[union-attr]
    assert {row["position"] for row in rows if row["line"] == ["+5"]} <= {reached}
    assert all(row["ply"] == len(row["line"]) for row in rows)


# --------------------------------------------------------------------------------------------------------- the files


@pytest.mark.parametrize("table", TABLES)
def test_a_file_says_what_it_is_and_what_its_columns_mean(rig: Rig, table: str) -> None:
    rig.play()
    made = rig.make("toy", licence="CC BY 4.0")
    file = pq.ParquetFile(made.folder / f"{table}.parquet")
    about = {name.decode(): text.decode() for name, text in file.metadata.metadata.items()}
    told = {"schema": "1", "table": table, "ruleset": "toy", "until": str(LATER), "licence": "CC BY 4.0"}
    for name, value in {**told, "content": made.sheet["tables"][table]["content"]}.items():
        assert about[f"plyscribe.{name}"] == value
    assert file.schema_arrow.remove_metadata() == build_schema(table).remove_metadata()
    for column in TABLES[table]:
        assert file.schema_arrow.field(column.name).metadata[b"description"].decode() == column.meaning


def test_the_datasheet_answers_the_questions_and_the_rows_meet_the_schema(rig: Rig) -> None:
    rig.play("zhen")
    rig.record("+5")
    made = rig.make(licence="CC BY 4.0")
    sheet, text = made.sheet, (made.folder / "datasheet.md").read_text()
    assert json.loads((made.folder / "datasheet.json").read_bytes()) == sheet
    for heading in ("Motivation", "Composition", "People", "Collection", "Processing", "Licence", "Making it again"):
        assert f"\n## {heading}\n" in text
    assert sheet["matches"]["players"] == {"account": 1, "guest": 1, "bot": 2}
    assert sheet["matches"]["recorded"] == 1
    assert sum(sheet["matches"]["splits"].values()) == sheet["tables"]["matches"]["rows"] == 2
    assert "CC BY 4.0" in text
    assert "states no licence" in (rig.make().folder / "datasheet.md").read_text()
    assert all(len(line) < 1000 for line in text.splitlines())
    for table in TABLES:
        pq.read_table(made.folder / f"{table}.parquet").cast(build_schema(table)).validate(full=True)
        for column in TABLES[table]:
            values = [row[column.name] for row in made.rows(table)]
            assert column.nullable or None not in values, column.name


def test_the_rows_of_a_long_match_are_made_one_by_one(rig: Rig) -> None:
    """A match may have 50,000 events, so its rows are never in memory together."""
    match = rig.play("zhen")
    entries = rig.parts.matches.read_events(match, 0)
    rows = describe_rows(fold(Match(match), entries), entries)
    assert not isinstance(rows.plies, list)
    assert pa.RecordBatch.from_pylist(list(rows.plies), schema=build_schema("plies")).num_rows > 8
