"""One changed byte in a stored event: a clear problem that names the version, never a 500, never half an answer."""

import pytest

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.commands import Actor
from plyscribe.service.composition import Parts, compose
from plyscribe.service.web.app import create_app
from tests.service.api import Api
from tests.service.test_imports_api import Elsewhere, bring, bundle_of


class Damaged:
    """A service, and after `damage` the same service in a process that has cached nothing."""

    def __init__(self, parts: Parts, api: Api) -> None:
        self.parts, self.api = parts, api
        self.ann, self.token = api.sign_up("Ann")
        self.match = api.new_match(self.token, [{"player": self.ann}, {"player": self.ann}], "pathagon")

    @property
    def path(self) -> str:
        return f"/v1/matches/{self.match}"

    def move(self, text: str, key: str | None = None):
        headers = {"Idempotency-Key": key} if key else {}
        return self.api.post(f"{self.path}/moves", self.token, {"move": text}, headers=headers)

    def damage(self, stream: str, version: int) -> None:
        """Change one byte in the middle of an event."""
        events = self.parts.store.within._events[stream]
        stored = events[version - 1]
        middle = stored.e.index(b'"data"') + 9
        events[version - 1] = stored._replace(e=stored.e[:middle] + b"#" + stored.e[middle + 1 :])
        self.api = Api(create_app(compose(self.parts.config, self.parts.store)))

    def refused(self, path: str, **more) -> dict:
        answer = self.api.get(path, **more)
        assert (answer.status_code, answer.json["title"]) == (409, "This is not possible now"), answer.json
        return answer.json


@pytest.fixture
def rig(parts: Parts, api: Api) -> Damaged:
    return Damaged(parts, api)


@pytest.fixture
def played(rig: Damaged) -> Damaged:
    """Three moves, of which the second is damaged: event 4 of 5."""
    first = rig.api.get(rig.path).json["version"]
    for text in ("d4", "a1", "c3"):
        assert rig.move(text, key=text).status_code == 200
    rig.damage(rig.match, first + 2)
    rig.fault = first + 2
    return rig


def test_a_match_says_what_is_at_fault_and_its_positions_and_effects_before_the_fault_are_read(played):
    match = played.api.get(played.path).json
    assert (match["fault"]["version"], match["ply"]) == (played.fault, 1)
    before = played.api.get(f"{played.path}/positions/0").json
    assert (before["ply"], before["turn"]) == (0, {"decision": 1})
    last = played.api.get(f"{played.path}/positions/1").json
    assert (last["version"], last["ply"], last["turn"]) == (played.fault - 1, 1, {"decision": 2})
    exact = played.api.get(f"{played.path}/positions/1?version={played.fault - 1}")
    assert exact.json == last
    page = played.api.get(f"{played.path}/effects").json
    assert [step["move"] for step in page["steps"]] == ["d4"]
    assert (page["fault"]["version"], page["next"]) == (played.fault, None)
    assert played.api.get(f"{played.path}/effects?to=0").json["fault"] is None


def test_a_match_whose_first_event_is_damaged_has_no_effects(rig):
    rig.damage(rig.match, 1)
    _, admin = rig.parts.accounts.sign_up(Actor("system", "test"), "Root", "person", ("admin",))
    assert rig.refused(f"{rig.path}/effects", token=admin)["code"] == "match/damaged"


@pytest.mark.parametrize("media", ["application/json", "text/plain", "image/svg+xml"])
def test_positions_after_the_fault_and_legal_moves_are_refused(played, media):
    paths = ["positions/2", "positions/3", f"positions/1?version={played.fault}"]
    if media == "application/json":
        paths += ["legal-moves", "legal-moves/next", "legal-moves/touched"]
    for path in paths:
        problem = played.refused(f"{played.path}/{path}", headers={"Accept": media})
        assert (problem["code"], problem["version"]) == ("match/damaged", played.fault)


def test_a_retry_of_a_move_whose_event_is_damaged_is_refused(played):
    for text in ("a1", "c3"):
        again = played.move(text, key=text)
        assert (again.status_code, again.json["code"], again.json["version"]) == (409, "match/damaged", played.fault)
    assert played.move("d4", key="d4").status_code == 200


@pytest.mark.parametrize("kind", ["player", "tournament", "ratings"])
def test_a_damaged_stream_names_itself(rig, kind):
    if kind == "player":
        stream, paths = rig.ann, ["/v1/players/me", f"/v1/players/{rig.ann}"]
    elif kind == "tournament":
        _, organiser = rig.parts.accounts.sign_up(Actor("system", "test"), "Olga", "person", ("play", "organise"))
        terms = {"name": "Cup", "ruleset": "zhen", "format": {"kind": "round-robin"}}
        stream = rig.api.post("/v1/tournaments", organiser, terms).json["tournament"]
        paths = [f"/v1/tournaments/{stream}{path}" for path in ("", "/standings", "/rounds", "/matches")]
    else:
        stream, paths = "ratings-zhen", ["/v1/ratings/zhen", f"/v1/ratings/zhen/{rig.ann}"]
        rig.parts.store.within._events[stream] = [StoredEvent(1, b'{"data":{"model":1}}', bytes(32))]
    rig.damage(stream, 1)
    for path in paths:
        problem = rig.refused(path, token=rig.token if path.endswith("/me") else None)
        assert problem["code"] == "stream/broken-chain"
        assert stream in problem["detail"]
        assert problem["version"] == 1


def test_the_stream_of_an_import_names_itself(rig):
    elsewhere = Elsewhere()
    match = bring(rig.api, rig.parts, rig.token, bundle_of(elsewhere.parts, elsewhere.play()))
    stream = next(stream for stream in rig.parts.store.within._events if stream.startswith("import-"))
    rig.damage(stream, 1)
    for path in (f"/v1/imports/{stream}", f"/v1/matches/{match}"):
        problem = rig.refused(path, token=rig.token)
        assert problem["code"].startswith("stream/")
        assert stream in problem["detail"]
