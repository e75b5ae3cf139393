"""Charges each request to its client's allowance for requests of its kind, and says in the answer what is left.

The kinds, and the headers of draft-ietf-httpapi-ratelimit-headers, are in docs/api.md.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from ipaddress import ip_address
from typing import Any, TypeVar, cast

from flask import Flask, Response, current_app

from plyscribe.service.access.accounts import Principal
from plyscribe.service.access.allowances import Allowances, Policy
from plyscribe.service.errors import AllowanceUsed, ServiceError
from plyscribe.service.store.port import StoreError
from plyscribe.service.web.api.http import SAFE_METHODS, ApiRequest, current_request, name_client, principal_if_any
from plyscribe.service.web.handover import PAUSE, TRIED, WAITED

READ, COMMAND, PAGE = "reads", "commands", "pages"
"""The kinds of requests to views that are not marked: what reads in the API, what changes something, pages."""

FREE = "free"
"""The kind of requests that have no limit."""

PROXIED = ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_VIA")
"""Headers that show that a proxy passed the request on for somebody else."""

PROXIED_NAMES = frozenset(header.removeprefix("HTTP_").replace("_", "-").lower() for header in PROXIED)
"""The same, by their names in lower case."""

PAUSE_S = 1.0
"""How long a refusal is held back. It says to wait for at least as long."""

MOST_MORE = 15
"""How often one request counts more at most, because of its size."""

CHARGES = "plyscribe.charges"

View = TypeVar("View", bound=Callable[..., Any])


def charged(kind: str) -> Callable[[View], View]:
    """Mark a view as of this kind. The view is not wrapped."""

    def mark(view: View) -> View:
        view.__charged__ = kind  # type: ignore[attr-defined]
        return view

    return mark


def kind_of(view: Callable[..., Any], method: str, of_page: bool = False) -> str:
    """The kind of requests with this method for the view."""
    unmarked = COMMAND if method not in SAFE_METHODS else PAGE if of_page else READ
    return cast(str, getattr(view, "__charged__", unmarked))


def charge_requests(app: Flask, allowances: Allowances, whom: str) -> None:
    """Charge the requests of the application: `all`, `none`, or those that are `remote`."""
    charges = app.extensions[CHARGES] = _Charges(app, allowances, whom)
    app.before_request(charges.charge)
    app.after_request(_announce)


def charge(kind: str, cost: int) -> None:
    """Charge this request for `cost` of another kind as well; AllowanceUsed if that is more than is left."""
    charges: _Charges = current_app.extensions[CHARGES]
    charges.charge_more(kind, cost)


def charge_size(kind: str, size: int, each: int) -> None:
    """Charge this request once more for `each` so many of what it asks for, but not so often that nobody could ask."""
    if more := min(MOST_MORE, size // each):
        charge(kind, more)


def charge_account(kind: str, who: Principal, address: str, headers: Mapping[str, str]) -> tuple[str, str] | None:
    """Charge a request that is answered together with others; AllowanceUsed if its account has nothing left.

    Returns what its answer says of the allowance, as ApiRequest.allowed. `headers` are by their names in lower case.
    """
    charges: _Charges = current_app.extensions[CHARGES]
    return charges.charge_account(kind, who, address, not PROXIED_NAMES.isdisjoint(headers))


def is_limited() -> bool:
    """Whether allowances and quotas hold for whoever sent this request, unless that is an administrator."""
    charges: _Charges = current_app.extensions[CHARGES]
    return charges.is_limited(current_request())


class _Charges:
    def __init__(self, app: Flask, allowances: Allowances, whom: str) -> None:
        self._app = app
        self._allowances = allowances
        self._whom = whom
        self._policies: dict[tuple[str, str] | None, Policy | None] = {}

    def charge(self) -> None:
        """Charge the request; AllowanceUsed if its client has nothing left."""
        asked = current_request()
        if WAITED in asked.environ:
            return
        if (tried := asked.environ.get(TRIED)) is not None:
            asked.allowed = tried.allowed
            return
        rule = asked.url_rule
        view = None if rule is None else (rule.endpoint, asked.method)
        try:
            policy = self._policies[view]
        except KeyError:
            policy = self._policies[view] = self._allowances.policies.get(self._find_kind(view))
        if policy is not None:
            self.take(asked, policy, 1)

    def is_limited(self, asked: ApiRequest) -> bool:
        """Whether the client of the request has limits, unless it is an administrator."""
        environ = asked.environ
        return self.limits(environ.get("REMOTE_ADDR", ""), any(header in environ for header in PROXIED))

    def limits(self, address: str, is_proxied: bool) -> bool:
        """Whether clients at this address have limits. A proxy of this machine asks for somebody else."""
        return self._whom != "none" and not (self._whom == "remote" and not is_proxied and _is_loopback(address))

    def take(self, asked: ApiRequest, policy: Policy, cost: int) -> None:
        """Charge the request, and remember what its answer says."""
        if not self.is_limited(asked):
            return
        client = _find_client()
        if client is None:
            return
        try:
            asked.allowed = policy.header, self._allowances.take(policy, client, cost)
        except AllowanceUsed as refusal:
            asked.allowed = policy.header, refusal.left
            # A client that asks again at once would cost nearly as much as one that is answered.
            asked.environ[PAUSE] = PAUSE_S
            raise

    def charge_account(self, kind: str, who: Principal, address: str, is_proxied: bool) -> tuple[str, str] | None:
        """See the function of this name."""
        policy = self._allowances.policies.get(kind)
        if policy is None or "admin" in who.scopes or not self.limits(address, is_proxied):
            return None
        return policy.header, self._allowances.take(policy, name_client(who))

    def charge_more(self, kind: str, cost: int) -> None:
        """Charge the request for another kind as well."""
        policy = self._allowances.policies.get(kind)
        if policy is not None:
            self.take(current_request(), policy, cost)

    def _find_kind(self, view: tuple[str, str] | None) -> str:
        if view is None:
            return READ
        endpoint, method = view
        return kind_of(self._app.view_functions[endpoint], method, of_page=endpoint.startswith("pages."))


def _find_client() -> str | None:
    """The account that asks or, without a valid token, its network; None for an administrator, who has no limits."""
    try:
        who = principal_if_any()
    except (ServiceError, StoreError):
        # The view will say so. Whoever guesses tokens is charged for it.
        who = None
    return None if who is not None and "admin" in who.scopes else name_client(who)


@lru_cache(maxsize=1024)
def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def _announce(response: Response) -> Response:
    asked = current_request()
    if asked.allowed is not None:
        policy, left = asked.allowed
        response.headers.add("RateLimit-Policy", policy)
        response.headers.add("RateLimit", left)
    return response
