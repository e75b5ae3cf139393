"""Invitations: what a link opens, and what ends it."""

import pytest

from plyscribe.domain.commands import CreateMatch, LeaveSeat, StartMatch, TakeSeat
from plyscribe.domain.errors import Unknown, WrongPerson, WrongTime
from plyscribe.domain.events import Account
from plyscribe.service.access.invitations import issue_invitation, read_invitation
from plyscribe.service.config import parse_key
from tests.domain.given import ANN, BEN, CAT, Table, account, new_match
from tests.service.api import Api

KEY = parse_key("5a" * 32)
SOON, NOW = 2000, 1000


@pytest.fixture
def table() -> Table:
    return new_match("zhen", (account(ANN), None), start="call", private=True)


def test_a_code_is_read_as_it_was_issued_until_it_expires(table):
    code = issue_invitation(KEY, table.match, 2, SOON)
    for now in (NOW, SOON - 1):
        assert read_invitation(KEY, table.match, code, now) == (2, 1, SOON)
    require_over(table, code, SOON)
    assert read_invitation(KEY, table.match._replace(stream="match-" + "b" * 26), code, NOW) is None
    assert read_invitation(parse_key("00" * 32), table.match, code, NOW) is None


def test_each_character_of_a_code_counts(table):
    code = issue_invitation(KEY, table.match, 2, SOON)
    for at in range(len(code)):
        changed = code[:at] + ("1" if code[at] != "1" else "2") + code[at + 1 :]
        assert read_invitation(KEY, table.match, changed, NOW) is None


@pytest.mark.parametrize("code", ["", "2", "2-1-2000-", "2-1-2000-" + "A" * 24, "٢-1-2000-" + "A" * 24, "x" * 128])
def test_what_is_no_code_is_none(table, code):
    assert read_invitation(KEY, table.match, code, NOW) is None


def test_a_code_of_an_older_key_holds_until_it_expires(table):
    code = issue_invitation(KEY, table.match, 2, SOON)
    rotated = parse_key(f"{'00' * 32}\n{'5a' * 32}")
    assert read_invitation(rotated, table.match, code, NOW) == (2, 1, SOON)
    assert issue_invitation(rotated, table.match, 2, SOON) != code
    with pytest.raises(Unknown):
        read_invitation(rotated, table.match, code, SOON)


def require_over(table: Table, code: str, now: int = NOW) -> None:
    with pytest.raises(Unknown) as over:
        read_invitation(KEY, table.match, code, now)
    assert over.value.code == "invitation/over"


def test_a_code_is_over_once_its_seat_was_taken_and_stays_so(table):
    code = issue_invitation(KEY, table.match, 2, SOON)
    for command in (TakeSeat, LeaveSeat):
        table.when(command, BEN, seat=2)
        require_over(table, code)
    again = issue_invitation(KEY, table.match, 2, SOON)
    assert read_invitation(KEY, table.match, again, NOW) == (2, table.match.version, SOON)
    table.when(TakeSeat, BEN, seat=2)
    table.when(StartMatch, ANN)
    require_over(table, again)
    with pytest.raises(WrongTime):
        issue_invitation(KEY, table.match, 2, SOON)


def test_only_open_seats_are_invited_to(table):
    with pytest.raises(WrongTime, match="taken"):
        issue_invitation(KEY, table.match, 1, SOON)
    with pytest.raises(Unknown):
        issue_invitation(KEY, table.match, 3, SOON)
    reserved = Table()
    reserved.when(CreateMatch, ANN, ruleset="zhen", seats=(None, Account(CAT.id)))
    with pytest.raises(WrongPerson, match="reserved"):
        issue_invitation(KEY, reserved.match, 2, SOON)


class Evening:
    """Ann's private match of three with an open seat and one reserved for Cat."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.ann, self.ann_token = api.sign_up("Ann")
        self.ben, self.ben_token = api.sign_up("Ben")
        self.cat, self.cat_token = api.sign_up("Cat")
        seats = [{"player": self.ann}, None, {"player": self.cat}]
        self.match = api.new_match(self.ann_token, seats, "toy", private=True)
        self.path = f"/v1/matches/{self.match}"

    def invite(self, seat: int = 2, token: str | None = None, **body: object):
        return self.api.post(f"{self.path}/seats/{seat}/invitations", token or self.ann_token, body)

    def sit(self, token: str, code: str | None, seat: int = 2):
        return self.api.post(f"{self.path}/seats/{seat}", token, {"invitation": code} if code else {})


@pytest.fixture
def evening(api) -> Evening:
    return Evening(api)


FORMS = ["", "/events", "/positions/0", "/positions/0?version=1"]
FORMS += ["/legal-moves", "/record", "/bundle", "/verification"]


@pytest.mark.parametrize("path", FORMS)
def test_the_link_opens_every_form_of_the_match_but_no_query_that_it_does_not_know(evening, path):
    code = evening.invite().json["invitation"]
    asked = f"{evening.path}{path}{'&' if '?' in path else '?'}"
    assert evening.api.get(f"{asked}invitation={code}").status_code == 200
    refused = evening.api.get(f"{asked}invite=x", evening.ann_token)
    assert (refused.status_code, refused.json["code"]) == (422, "request/invalid")


def test_pages_carry_the_invitation_on(evening):
    code = evening.invite().json["invitation"]
    evening.sit(evening.cat_token, None, seat=3)
    page = evening.api.get(f"{evening.path}/events?limit=1&invitation={code}").json
    assert len(evening.api.get(page["next"]).json["events"]) == 1


def test_without_an_invitation_nobody_takes_an_open_seat_of_a_private_match(evening):
    assert evening.sit(evening.ben_token, None).json["code"] == "match/unknown"
    refused = evening.sit(evening.cat_token, None)
    assert (refused.status_code, refused.json["code"]) == (403, "invitation/needed")
    assert evening.sit(evening.ann_token, None).status_code == 200, "who invites needs none"


def test_an_invitation_to_one_seat_opens_no_other_and_no_reserved_one(evening):
    code = evening.invite().json["invitation"]
    assert evening.sit(evening.ben_token, code, seat=3).json["code"] == "seat/reserved"
    assert evening.invite(3).json["code"] == "seat/reserved"
    evening.api.send("DELETE", f"{evening.path}/seats/3", evening.ann_token)
    assert evening.sit(evening.ben_token, code, seat=3).json["code"] == "invitation/needed"


def test_the_first_one_has_the_seat_and_the_link_is_over(evening, parts):
    before = parts.store.load(evening.match).entries
    link = evening.invite().json
    assert parts.store.load(evening.match).entries == before, "the store knows nothing of invitations"
    assert evening.api.get(link["path"]).json["match"] == evening.match
    path, body = f"{evening.path}/seats/2", {"invitation": link["invitation"]}
    first, again = (evening.api.post(path, evening.ben_token, body, key="sit") for _ in range(2))
    assert (first.status_code, again.status_code, again.data) == (200, 200, first.data)
    assert evening.api.get(evening.path, evening.ben_token).json["seats"][1]["player"] == evening.ben
    _, dan = evening.api.sign_up("Dan")
    late = evening.sit(dan, link["invitation"])
    assert (late.status_code, late.json["code"]) == (404, "invitation/over")
    assert evening.api.get(link["path"]).json["code"] == "invitation/over"
    assert evening.sit(evening.ben_token, link["invitation"]).json["code"] == "seat/taken"


def test_only_creator_and_recorder_invite(evening, api):
    assert evening.invite(token=evening.cat_token).json["code"] == "match/not-yours"
    assert evening.invite(token=evening.ben_token).json["code"] == "match/unknown"
    keyed = api.post(f"{evening.path}/seats/2/invitations", evening.ann_token, {}, key="k")
    assert keyed.json["code"] == "key/not-here"
    _, token = api.sign_up("Rec", ("record",))
    match = api.new_match(token, [{"name": "Ada"}, None], "zhen", recorded=True)
    assert api.post(f"/v1/matches/{match}/seats/2/invitations", token, {}).status_code == 201


@pytest.mark.parametrize("expires_in_s", [0, -1, 90 * 24 * 3600 + 1, "1", None])
def test_an_invitation_lives_for_a_second_to_ninety_days(evening, expires_in_s):
    assert evening.invite(expires_in_s=expires_in_s).json["code"] == "request/invalid"
