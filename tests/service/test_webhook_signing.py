"""Signatures of messages: the vectors of the Standard Webhooks specification, and our own secrets."""

import base64
from itertools import product

from plyscribe.domain.webhooks import SecretSource
from plyscribe.service.config import parse_key
from plyscribe.service.webhooks.signing import format_secret, message_id, sign

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
ID, AT, BODY = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}'
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def parse_secret(text: str) -> bytes:
    return base64.b64decode(text.removeprefix("whsec_"))


def test_the_vector_of_the_specification_is_signed_alike_and_several_secrets_give_several_signatures():
    secret = parse_secret(SECRET)
    headers = {"webhook-id": ID, "webhook-timestamp": str(AT), "webhook-signature": SIGNATURE}
    assert sign([secret], ID, AT, BODY) == headers
    assert format_secret(secret) == SECRET
    first, second = sign([bytes(32), secret], ID, AT, BODY)["webhook-signature"].split(" ")
    assert (first != second, second) == (True, SIGNATURE)
    assert message_id("lane", "key") == message_id("lane", "key")
    assert len({message_id("lane", "key"), message_id("lane", "other"), message_id("other", "key")}) == 3


def test_every_account_webhook_and_version_has_a_secret_of_its_own_and_of_a_fit_length():
    key = parse_key("5a" * 32)
    made = {
        key.list_webhook_secrets(player, webhook, [SecretSource(key.id, version, 0)])[0]
        for player, webhook, version in product(("player-a", "player-b"), ("hook-a", "hook-b"), (1, 2))
    }
    assert [len(secret) for secret in made] == [32] * 8


def test_a_secret_outlives_a_new_server_key_and_ends_with_its_own():
    old, new = parse_key("5a" * 32), parse_key("5b" * 32)
    both = parse_key("5b" * 32 + "\n" + "5a" * 32)
    source = [SecretSource(old.id, 7, 0)]
    assert both.list_webhook_secrets("p", "h", source) == old.list_webhook_secrets("p", "h", source)
    assert new.list_webhook_secrets("p", "h", source) == []
