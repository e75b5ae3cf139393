"""Where messages may go: URLs that a webhook can have, and addresses that may be connected to.

A URL that is accepted proves nothing, because a name can lead anywhere at any time. So the addresses that it leads to
are checked again before each connection, and the connection goes to the very address that was checked.
"""

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from plyscribe.domain.errors import WrongValue

ANY = "any"
OFF = "off"

LOWEST_PORT = 1024
"""Below it, only the ports of the web are allowed: the others belong to mail, files, names, remote control."""

WEB_PORTS = {"https": 443, "http": 80}

_NAME = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.?")
_NUMERIC = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)\.?")

UNICAST = IPv6Network("2000::/3")
"""All public IPv6 addresses are in it."""

MAPPED = IPv6Network("::ffff:0:0/96")
TRANSLATED = IPv6Network("64:ff9b::/96")
"""NAT64: IPv4 addresses as hosts without IPv4 see them (RFC 6052)."""

SPECIAL_V6 = (IPv6Network("2002::/16"), IPv6Network("2001::/23"), IPv6Network("3fff::/20"))
"""6to4 and Teredo, which hide an IPv4 address, and what else IANA has set aside. Not every Python knows all of it."""

SPECIAL_V4 = (IPv4Network("192.88.99.0/24"), IPv4Network("192.0.0.0/24"))
"""As above: 6to4 relays (RFC 7526), and addresses of protocols."""


class Target(NamedTuple):
    """Where to post: the parts of a URL that are sent."""

    scheme: str
    host: str
    port: int
    path: str


def parse_target(url: str, allowed: str) -> Target:
    """The parts of a URL; WrongValue with a reason unless a webhook may have it under this PLYSCRIBE_WEBHOOKS."""
    try:
        split = urlsplit(url)
        host, port = (split.hostname or "").lower(), split.port
    except ValueError:
        raise _refuse("it cannot be read") from None
    if split.scheme not in WEB_PORTS or (split.scheme == "http" and allowed != ANY):
        raise _refuse("it must begin with https://" + (" or http://" if allowed == ANY else ""))
    if set("@%\\") & set(split.netloc) or "#" in url or "\\" in url:
        raise _refuse("it must have no password, no backslash, no fragment, and no % in its host")
    if port is None:
        port = WEB_PORTS[split.scheme]
    if port not in WEB_PORTS.values() and port < LOWEST_PORT:
        raise _refuse(f"the port must be 443, 80, or {LOWEST_PORT} or higher")
    _require_host(host, allowed)
    path = (split.path or "/") + (f"?{split.query}" if split.query else "")
    return Target(split.scheme, host, port, path)


def _require_host(host: str, allowed: str) -> None:
    try:
        address = ip_address(host)
    except ValueError:
        # Resolvers take numbers of many forms for an address, such as 0x7f.1 or 2130706433.
        if not _NAME.fullmatch(host) or len(host) > 253 or _NUMERIC.fullmatch(host):
            raise _refuse("it must name a host") from None
        return
    if allowed != ANY and not is_public(str(address)):
        raise WrongValue("webhook/address", f"{host} is not a public address, so this service does not post there")


def _refuse(why: str) -> WrongValue:
    return WrongValue("webhook/url", f"this URL cannot be that of a webhook: {why}")


def is_public(address: str) -> bool:
    """Whether an address, as a resolver gives it, is a public one. Of an address within one, the inner one counts."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv4Address):
        return _is_public_v4(parsed)
    if parsed.scope_id is not None:
        return False
    if parsed in MAPPED or parsed in TRANSLATED:
        return _is_public_v4(IPv4Address(int(parsed) & 0xFFFFFFFF))
    return _is_public_v6(parsed)


def _is_public_v4(address: IPv4Address) -> bool:
    return address.is_global and not (
        address.is_multicast or address.is_reserved or any(address in each for each in SPECIAL_V4)
    )


def _is_public_v6(address: IPv6Address) -> bool:
    return address in UNICAST and address.is_global and not any(address in each for each in SPECIAL_V6)
