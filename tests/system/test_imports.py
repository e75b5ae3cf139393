"""Imports over a running service, whose processes are killed: the same bytes, one verdict, lists that tell."""

from plyscribe.service.client import Client
from tests.service.test_imports_api import Elsewhere
from tests.system.running import open_account, serving, wait_for


def test_bundles_are_judged_whoever_is_killed(tmp_path):
    with (
        serving(tmp_path / "data") as service,
        Client(service.url) as anyone,
        Client(service.url, open_account(anyone, "Ida")["token"]) as ida,
    ):
        elsewhere = Elsewhere()
        bundles = {match: elsewhere.bundle(match) for match in (elsewhere.play() for _ in range(3))}
        addresses = {}
        for victim, (match, bundle) in zip(("verify", "relay", "web"), bundles.items(), strict=True):
            addresses[match] = ida.import_bundle(bundle)["address"]
            service.kill(victim)
        for match, bundle in bundles.items():
            wait_for(lambda address=addresses[match]: ida.imported(address)["status"] == "verified")
            assert ida.bundle(match) == bundle
            assert ida.import_bundle(bundle)["status"] == "verified"
        wait_for(lambda: {row["match"] for row in ida.matches(imported=True)} == set(addresses.values()))
        assert list(ida.matches(imported=False)) == []
