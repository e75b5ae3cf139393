"""Keys in which earlier releases kept in the store what is in the read database now."""

from redis import Redis

from plyscribe.service.store.cluster import Client
from plyscribe.service.store.redis_server import ask

HALVES = [f"{half}:{part}" for half in "ab" for part in ("rows", "marks", "lists")]

INBOXES = "{??}:inbox*"
"""What the keys of inboxes match: `{bb}:inbox:<player>` and `{bb}:inbox-keys:<player>`."""

KEYS_A_LOOK = 1000


def drop_former_list(client: Client, name: str) -> None:
    """Free the memory of a list of 0.2. Raises the errors of the port."""
    ask(client, "UNLINK", *(f"{{lists:{name}}}:{key}" for key in ("meta", *HALVES)))


def drop_former_inboxes(client: Client) -> None:
    """Free the memory of the inboxes of 0.2; looks at every key of the store once. Raises the errors of the port."""
    if not isinstance(client, Redis):
        # 0.2 ran on no cluster.
        return
    cursor = 0
    while True:
        cursor, keys = ask(client, "SCAN", cursor, "MATCH", INBOXES, "COUNT", KEYS_A_LOOK)
        for key in keys:
            ask(client, "UNLINK", key)
        if cursor == 0:
            return
