"""An account that sends requests as it likes."""

import httpx

TIMEOUT_S = 60.0


class Player:
    """An ordinary account, with one connection."""

    def __init__(self, url: str, name: str, token: str | None = None, opened_by: str | None = None) -> None:
        self.url = url
        self._http = httpx.Client(base_url=url, timeout=TIMEOUT_S, trust_env=False)
        if token is None:
            headers = {"Authorization": f"Bearer {opened_by}"} if opened_by else {}
            made = self._http.post("/v1/players", json={"name": name, "scopes": ["play", "record"]}, headers=headers)
            made.raise_for_status()
            self.id, token = made.json()["player"], made.json()["token"]
        self.token = token
        if token:
            self._http.headers["Authorization"] = f"Bearer {token}"

    def close(self) -> None:
        self._http.close()

    def again(self) -> "Player":
        """The same account on another connection."""
        return Player(self.url, "", self.token)

    def send(self, method: str, path: str, body: object = None, **more: object) -> httpx.Response:
        """The answer to a request, whatever it is."""
        if body is not None:
            more["json"] = body
        return self._http.request(method, path, **more)  # type: ignore[arg-type]
