"""Pages of other origins in a real browser: what they can do, and what they cannot."""

from collections.abc import Iterator

import pytest

from plyscribe.service.client import Client
from tests.pages.conftest import OtherSite
from tests.system.running import Serving, free_port, open_account, serving

PLAY = """async (api) => {
  const send = async (method, path, token, body) => {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() };
    if (token) headers.Authorization = `Bearer ${token}`;
    if (!path.endsWith("/players")) headers["If-None-Match"] = '"0"';
    else delete headers["Idempotency-Key"];
    const answered = await fetch(api + path, { method, headers, body: body && JSON.stringify(body) });
    const answer = await answered.json();
    if (!answered.ok) throw new Error(answer.detail);
    return { answer, tag: answered.headers.get("ETag") };
  };
  const [ann, ben] = await Promise.all(
    ["Ann", "Ben"].map(async (name) => (await send("POST", "/v1/players", null, { name: `${name} far away` })).answer),
  );
  const terms = { ruleset: "zhen", seats: [{ player: ann.player }, null] };
  const { match } = (await send("POST", "/v1/matches", ann.token, terms)).answer;
  await send("POST", `/v1/matches/${match}/seats/2`, ben.token, {});
  const seen = [];
  const source = new EventSource(`${api}/v1/matches/${match}/events`);
  const over = new Promise((done) => source.addEventListener("match-ended", done));
  source.addEventListener("move-made", (event) => seen.push(JSON.parse(event.data).data.move));
  const played = [];
  let tag = null;
  for (;;) {
    const { turn, moves } = (await send("GET", `/v1/matches/${match}/legal-moves`, ann.token)).answer;
    if (!turn.decision) break;
    const [move] = moves;
    const made = await send("POST", `/v1/matches/${match}/moves`, [ann, ben][turn.decision - 1].token, { move });
    played.push(move);
    tag = made.tag;
  }
  await over;
  source.close();
  return { match, played, seen, tag };
}"""

TRY = """async ([api, path, request]) => {
  try {
    const answered = await fetch(api + path, request);
    return [answered.status, await answered.text()];
  } catch (error) {
    return [0, `${error}`];
  }
}"""


@pytest.fixture(scope="module")
def origins() -> list[str]:
    """Two origins that are not the service's; it will trust the first."""
    return [OtherSite().origin for _ in range(2)]


@pytest.fixture(scope="module")
def service(tmp_path_factory, origins) -> Iterator[Serving]:
    data = tmp_path_factory.mktemp("origins") / "data"
    with serving(data, free_port(), PLYSCRIBE_ORIGINS=origins[0]) as running:
        yield running


def test_a_page_of_an_origin_that_is_trusted_plays_a_match(reader, service, origins):
    reader.goto(origins[0])
    result = reader.evaluate(PLAY, service.url)
    with Client(service.url) as anyone:
        match = anyone.match(result["match"])
    assert match["turn"]["over"]
    assert match["moves"] == result["played"]
    assert result["seen"] == result["played"]
    assert result["tag"].startswith('"')


def test_another_page_reads_what_everybody_may_read_and_does_nothing_else(reader, service, origins):
    reader.goto(origins[1])
    with Client(service.url) as anyone:
        token = open_account(anyone, "Cem")["token"]
    assert reader.evaluate(TRY, [service.url, "/v1/rulesets", {}])[0] == 200
    json = {"Content-Type": "application/json"}
    post = {"method": "POST", "headers": json, "body": '{"name": "Eve"}'}
    assert reader.evaluate(TRY, [service.url, "/v1/players", post])[0] == 0
    with_token = {"headers": {"Authorization": f"Bearer {token}"}}
    assert reader.evaluate(TRY, [service.url, "/v1/players/me", with_token])[0] == 0
    with Client(service.url) as anyone:
        assert list(anyone.players("Eve")) == []


def test_the_session_of_a_browser_is_nothing_to_pages_of_other_origins(reader, service, origins):
    reader.goto(f"{service.url}/sign-in")
    reader.get_by_label("Name").fill("Dora")
    reader.get_by_role("button", name="Open an account").click()
    reader.get_by_role("heading", name="Welcome, Dora").wait_for()
    for origin in origins:
        reader.goto(origin)
        # The browser does send the cookie: both are on one host. It does not let the page see the answer.
        assert reader.evaluate(TRY, [service.url, "/v1/players/me", {"credentials": "include"}])[0] == 0
        assert reader.evaluate(TRY, [service.url, "/v1/players/me", {}])[0] == 401
