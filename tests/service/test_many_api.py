"""Many matches over HTTP, followed in one stream and exported, and those of a tournament in the stream of its desk."""

import json
from hashlib import sha256
from itertools import islice

import pytest

from plyscribe.domain.bundle.bundle import parse_bundle
from plyscribe.domain.commands import Actor
from plyscribe.service.live import followers as followers_module
from plyscribe.service.live import match_changes as changes_module
from plyscribe.service.live import reader as reader_module
from tests.service.test_club_api import CLUB as CUP
from tests.service.test_club_api import Club as Cup

SSE, NDJSON = {"Accept": "text/event-stream"}, {"Accept": "application/x-ndjson"}
STREAM, EXPORT = "/v1/matches/stream", "/v1/matches/export"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Look for changes at once, and end a stream soon on which nothing comes."""
    monkeypatch.setattr(reader_module, "RETRY_PAUSE_S", 0.01)
    monkeypatch.setattr(changes_module, "FRESH_S", 0.0)
    monkeypatch.setattr(followers_module, "THREAD_BEAT_S", 0.1)


class Club:
    """Ann and Ben, who play."""

    def __init__(self, api) -> None:
        self.api = api
        self.ann_id, self.ann = api.sign_up("Ann")
        self.ben_id, self.ben = api.sign_up("Ben")

    def play(self, ruleset: str = "zhen", **more) -> str:
        """A match between them; two appends: it is created, and Ben sits down, which starts it."""
        match = self.api.new_match(self.ann, [{"player": self.ann_id}, None], ruleset, **more)
        seated = self.api.post(f"/v1/matches/{match}/seats/2", self.ben, {})
        assert seated.status_code in (200, 201), seated.json
        return match

    def follow(self, query: str, count: int, token: str | None = None) -> list[dict]:
        """The first entries of a live stream, which then is left."""
        opened = self.api.get(f"{STREAM}?{query}", token, headers=NDJSON)
        assert opened.status_code == 200, opened.json
        lines = (line for chunk in opened.response for line in chunk.splitlines() if line)
        entries = [json.loads(line) for line in islice(lines, count)]
        opened.close()
        return entries

    def has_changes(self, query: str, token: str | None = None) -> bool:
        """Whether a stream has a change before its second heartbeat."""
        opened = self.api.get(f"{STREAM}?{query}", token, headers=NDJSON)
        lines, beats = (line for chunk in opened.response for line in chunk.splitlines()), 0
        while beats < 2 and b'"change"' not in (line := next(lines)):
            beats += not line
        opened.close()
        return beats < 2

    def export(self, query: str, token: str | None = None) -> tuple[list[dict], dict]:
        """The lines of an export, and the last one, which is checked."""
        answered = self.api.get(f"{EXPORT}?{query}", token)
        assert answered.status_code == 200, answered.json
        *lines, last = answered.data.splitlines(keepends=True)
        end = json.loads(last)
        assert end["sha256"] == sha256(b"".join(lines)).hexdigest()
        return [json.loads(line) for line in lines], end


@pytest.fixture
def club(api) -> Club:
    return Club(api)


def test_a_stream_begins_with_the_number_of_now_and_has_an_entry_for_each_append_with_its_events(club):
    club.play()
    [start] = club.follow("", 1)
    assert (start.keys(), start["type"]) == ({"type", "id"}, "at")
    match = club.play()
    created, seated = club.follow(f"after={start['id']}", 2)
    events = club.api.get(f"/v1/matches/{match}/events").json["events"]
    assert created["events"] + seated["events"] == events
    assert (created["type"], created["match"], created["ruleset"]) == ("change", match, "zhen")
    assert (created["version"], seated["version"]) == (created["events"][-1]["version"], len(events))
    assert start["id"] < created["id"] < seated["id"]
    assert club.follow(f"after={created['id']}", 1) == [seated]


def test_server_sent_events_have_the_same_entries(club):
    [start] = club.follow("", 1)
    club.play()
    entries = club.follow(f"after={start['id']}", 2)
    opened = club.api.get(STREAM, headers={**SSE, "Last-Event-ID": str(start["id"])})
    blocks = (block for chunk in opened.response for block in chunk.decode().split("\n\n") if "data:" in block)
    sent = [dict(line.partition(": ")[::2] for line in block.split("\n")) for block in islice(blocks, 2)]
    opened.close()
    assert [json.loads(each["data"]) for each in sent] == entries
    assert [(each["id"], each["event"]) for each in sent] == [(str(each["id"]), "change") for each in entries]


def test_lines_end_with_one_that_says_so_and_have_heartbeats(club, monkeypatch):
    monkeypatch.setattr(followers_module, "THREAD_S", 0.5)
    opened = club.api.get(STREAM, headers=NDJSON)
    lines = opened.data.split(b"\n")
    assert json.loads(lines[0])["type"] == "at"
    assert b"" in lines[1:-2]
    assert lines[-2:] == [b'{"type":"end"}', b""]


BOTH = ["zhen", "zhen", "pathagon", "pathagon", "zhen", "zhen"]
ZHEN, PATHAGON = ["zhen"] * 4, ["pathagon"] * 2


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("ruleset=zhen", ZHEN),
        ("ruleset=pathagon", PATHAGON),
        ("player={ann}", BOTH),
        ("player={ann}&opponent={ben}", BOTH),
        ("rated=false", BOTH),
        ("q=ann", BOTH),
        ("place=oslo", ZHEN),
        ("about=os", ZHEN),
    ],
)
def test_a_stream_has_the_matches_that_meet_its_conditions(club, query, wanted):
    [start] = club.follow("", 1)
    for ruleset, place in (("zhen", "Oslo"), ("pathagon", "Rome"), ("zhen", "Oslo")):
        club.play(ruleset, about={"place": place})
    entries = club.follow(f"{query.format(ann=club.ann_id, ben=club.ben_id)}&after={start['id']}", len(wanted))
    assert [entry["ruleset"] for entry in entries] == wanted


@pytest.mark.parametrize("query", ["player={cat}", "tournament=tournament-" + "a" * 26, "rated=true", "q=nobody"])
def test_a_stream_has_no_matches_that_meet_only_some_conditions(club, query):
    cat_id, _ = club.api.sign_up("Cat")
    [start] = club.follow("", 1)
    club.play("zhen")
    assert not club.has_changes(f"ruleset=zhen&{query.format(cat=cat_id)}&after={start['id']}")


def test_a_private_match_is_seen_by_those_whom_it_concerns_and_by_overseers(club, parts):
    _, stranger = club.api.sign_up("Cat")
    _, overseer = parts.accounts.sign_up(Actor("system", "test"), "Dan", "person", ("play", "organise"))
    [start] = club.follow("", 1)
    match = club.api.new_match(club.ann, [{"player": club.ann_id}, {"player": club.ben_id}], "zhen", private=True)
    query = f"after={start['id']}"
    for token in (None, stranger):
        assert not club.has_changes(query, token)
        assert club.export("", token)[0] == []
    for token in (club.ann, club.ben, overseer):
        assert [entry["match"] for entry in club.follow(query, 1, token)] == [match]
        assert [line["match"] for line in club.export("", token)[0]] == [match]


def test_changes_that_are_not_kept_and_a_number_of_another_database_are_a_gap(club, monkeypatch):
    monkeypatch.setattr(changes_module, "KEPT", 1)
    [start] = club.follow("", 1)
    club.play()
    gap, last = club.follow(f"after={start['id']}", 2)
    assert (gap["type"], last["type"]) == ("gap", "change")
    assert start["id"] < gap["id"] < last["id"]
    [gap] = club.follow(f"after={last['id'] + 1_000_000}", 1)
    assert gap["type"] == "gap"


def test_an_entry_says_how_far_unwanted_changes_were_looked_through_and_has_the_first_events(club, monkeypatch):
    monkeypatch.setattr(changes_module, "PAGE", 1)
    monkeypatch.setattr(changes_module, "SCANNED", 2)
    [start] = club.follow("", 1)
    club.play("zhen")
    club.play("zhen")
    match = club.play("pathagon")
    at, again, wanted = club.follow(f"ruleset=pathagon&after={start['id']}", 3)
    assert (at["type"], again["type"], wanted["match"]) == ("at", "at", match)
    assert club.follow(f"ruleset=pathagon&after={again['id']}", 1) == [wanted]
    monkeypatch.setattr(changes_module, "MAX_EVENTS", 1)
    club.play()
    created, seated = club.follow(f"ruleset=zhen&after={wanted['id'] + 1}", 2)
    assert len(created["events"]) == len(seated["events"]) == 1
    assert seated["version"] > seated["events"][0]["version"]


@pytest.mark.parametrize(
    ("path", "query", "status", "code"),
    [
        *((STREAM, query, 422, "request/invalid") for query in ("after=-1", "after=x", "status=open", "sort=ended")),
        *((STREAM, query, 401, "auth/missing") for query in ("player=me", "player=me&opponent=me")),
        (STREAM, f"opponent=player-{'a' * 26}", 400, "filter/player-missing"),
        (EXPORT, "cursor=nowhere", 400, "cursor/invalid"),
        *((EXPORT, query, 422, "request/invalid") for query in ("as=pictures", "limit=0", "limit=10001", "sort=ended")),
    ],
)
def test_what_a_stream_or_an_export_does_not_know_is_refused(club, path, query, status, code):
    refused = club.api.get(f"{path}?{query}", headers=NDJSON)
    assert (refused.status_code, refused.json["code"]) == (status, code)


def test_an_export_has_the_record_bundle_or_positions_of_each_match_the_oldest_first(club):
    assert club.export("ruleset=rings") == ([], {"count": 0, "next": None, "sha256": sha256(b"").hexdigest()})
    matches = [club.play("zhen"), club.play("pathagon"), club.play("zhen")]
    lines, end = club.export("")
    assert [line["match"] for line in lines] == matches
    assert (end["count"], end["next"]) == (3, None)
    for line in lines:
        assert line["record"] == club.api.get(f"/v1/matches/{line['match']}/record").text
        assert line["version"] == club.api.get(f"/v1/matches/{line['match']}").json["version"]
    for line in club.export("as=bundles")[0]:
        assert line["bundle"].encode() == club.api.get(f"/v1/matches/{line['match']}/bundle").data
        assert parse_bundle(line["bundle"].encode()).entries[-1].h.hex() == line["hash"]
    club.api.post(f"/v1/matches/{matches[1]}/moves", club.ann, {"move": "a1"})
    lines, end = club.export("ruleset=pathagon&as=positions")
    read = [club.api.get(f"/v1/matches/{matches[1]}/positions/{ply}").json for ply in range(2)]
    assert [{**line, "cursor": None} for line in lines] == [{**position, "cursor": None} for position in read]
    assert end["count"] == 1


def test_an_export_goes_on_after_any_of_its_lines_and_ends_at_its_limit(club):
    for _ in range(5):
        club.play()
    lines, _ = club.export("")
    for number, line in enumerate(lines, 1):
        rest, end = club.export(f"cursor={line['cursor']}")
        assert (rest, end["count"]) == (lines[number:], len(rest))
    found, end = club.export("limit=2")
    while end["next"]:
        assert end["count"] <= 2
        more, end = club.export(f"limit=2&cursor={end['next']}")
        found += more
    assert found == lines


def test_an_export_takes_the_conditions_of_the_list(club):
    zhen, _ = club.play("zhen"), club.play("pathagon")
    club.api.post(f"/v1/matches/{zhen}/withdrawal", club.ben, {"seat": 2})
    for query in ("ruleset=zhen", "status=ended", f"player={club.ann_id}&result=won", "reason=withdrawal"):
        lines, _ = club.export(query)
        assert [line["match"] for line in lines] == [zhen], query


@pytest.fixture
def cup(api, parts) -> Cup:
    cup = Cup(api, parts, **CUP)
    cup.guests("Ida", "Kim", "Lou", "Max")
    return cup


def follow_cup(cup: Cup, query: str, count: int) -> list[dict]:
    """The first entries of the live stream, which then is left."""
    opened = cup.api.get(f"{cup.path}/stream{query}", headers=SSE)
    assert opened.status_code == 200, opened.json
    lines = (line for chunk in opened.response for line in chunk.splitlines() if line.startswith(b"data: {"))
    entries = [json.loads(line[6:]) for line in islice(lines, count)]
    opened.close()
    return entries


def test_changes_of_the_tournament_and_of_its_matches_come_in_one_stream_without_events(cup):
    [first] = follow_cup(cup, "", 1)
    cup.begin()
    # It starts, the round is called and paired, and two matches are made.
    entries = [each for each in follow_cup(cup, f"?after={first['id']}", 5) if each["type"] == "change"]
    assert {each["match"] for each in entries if "match" in each} == {cup.match(1), cup.match(2)}
    assert [each["version"] for each in entries if each.get("tournament") == cup.id][-1] == cup.get()["version"]
    assert all(each.keys() <= {"type", "id", "match", "tournament", "version"} for each in entries)


def test_matches_of_others_are_left_out(cup, api):
    cup.begin()
    [first] = follow_cup(cup, "", 1)
    api.new_match(cup.ann_token, [{"player": cup.ann}, None])
    cup.post("/results", round=1, board=1, ranks=[1, 2])
    entries = follow_cup(cup, f"?after={first['id']}", 1)
    assert [each.get("tournament") for each in entries if each["type"] == "change"] == [cup.id]


def test_what_is_no_stream_is_refused(cup, api):
    assert api.get(f"{cup.path}/stream?after=x", headers=SSE).status_code == 422
    assert api.get(f"/v1/tournaments/tournament-{'a' * 26}/stream", headers=SSE).status_code == 404


def test_the_positions_of_a_match_come_again_unless_all_were_read(club):
    for match in (club.play(), club.play()):
        club.api.post(f"/v1/matches/{match}/moves", club.ann, {"move": "+1"})
    lines, _ = club.export("as=positions")
    for index, line in enumerate(lines):
        rest, _ = club.export("as=positions" + (f"&cursor={line['cursor']}" if line["cursor"] else ""))
        is_last = lines[index + 1 :] == [] or lines[index + 1]["match"] != line["match"]
        first = index + 1 if is_last else next(at for at, each in enumerate(lines) if each["match"] == line["match"])
        assert [each["match"] for each in rest] == [each["match"] for each in lines[first:]]
