"""The receiver on the page about webhooks gets messages of a real service, and knows forged ones."""

import base64
import re
import threading
import time
from typing import Any

import pytest

from plyscribe.service.client import Client
from plyscribe.service.webhooks.signing import sign
from tests.system.running import ROOT, WITHIN_S, serving

PAGE = (ROOT / "docs" / "webhooks.md").read_text(encoding="utf-8")


def run_page() -> tuple[str, dict[str, Any]]:
    """The part of the page that adds a webhook, and the names that its receiver defines."""
    adding, *receiving = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {}
    exec("".join(receiving), names)
    return adding, names


def test_the_page_checks_signatures():
    _, names = run_page()
    check, forged = names["check_message"], names["Forged"]
    key, body, now = bytes(range(32)), b'{"type":"ping"}', int(time.time())
    secret = f"whsec_{base64.b64encode(key).decode()}"
    assert check(secret, sign([key], "msg_1", now, body), body) == "msg_1"
    assert check(secret, sign([bytes(32), key], "msg_1", now, body), body) == "msg_1"
    for headers, sent in (
        (sign([key], "msg_1", now, body), body + b" "),
        (sign([bytes(32)], "msg_1", now, body), body),
        (sign([key], "msg_1", now - 400, body), body),
        ({**sign([key], "msg_1", now, body), "webhook-id": "msg_2"}, body),
    ):
        with pytest.raises(forged):
            check(secret, headers, sent)


@pytest.mark.server
def test_the_receiver_of_the_page_gets_what_a_service_sends(tmp_path, monkeypatch):
    adding, names = run_page()
    server = names["listen"](0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    monkeypatch.setattr(names["Receiver"], "log_message", lambda *_: None)
    try:
        with serving(tmp_path / "data", PLYSCRIBE_WEBHOOKS="any") as service, Client(service.url) as anyone:
            ann = anyone.sign_up("Ann")
            monkeypatch.setenv("PLYSCRIBE_TOKEN", ann["token"])
            added: dict[str, Any] = {}
            place = f"http://127.0.0.1:{server.server_port}/"
            exec(
                adding.replace("http://127.0.0.1:8420", service.url).replace("https://example.org/plyscribe", place),
                added,
            )
            client, webhook = added["client"], added["webhook"]
            names["Receiver"].secret = webhook["secret"]
            pinged = client.test_webhook(webhook["id"])
            match = client.create_match("zhen", [{"player": ann["player"]}, {"bot": "random"}])["match"]
            client.withdraw(match)
            deadline = time.monotonic() + WITHIN_S
            while not {each["type"] for each in names["MESSAGES"].values()} >= {"ping", "match-ended"}:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            assert names["MESSAGES"][pinged["message"]]["type"] == "ping"
            [listed] = client.webhooks()
            assert (listed["last_delivery"]["status"], listed["failures"]) == (204, 0)
            assert client.change_webhook(webhook["id"], topics=["your-turn"])["topics"] == ["your-turn"]
            assert client.replace_webhook_secret(webhook["id"])["secret"] != webhook["secret"]
            assert client.change_webhook(webhook["id"], enabled=False)["state"] == "disabled"
            assert client.remove_webhook(webhook["id"])["id"] == webhook["id"]
            client.close()
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
