"""The files of the kit pass the checks of the programs that read them."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from tests.deploy.kit import DEPLOY, find_program, list_queries, read_yaml

MOST_EXPOSED = 20
"""Tenths, as systemd-analyze counts how exposed a unit is: 0 is not at all, 100 is without any protection."""


def run(*argv: object, cwd: Path | None = None, **env: str) -> str:
    """What a program prints; it must succeed."""
    words = [str(word) for word in argv]
    ran = subprocess.run(words, cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


def test_promtool_takes_the_rules_and_the_configurations(tmp_path):
    promtool, folder = find_program("promtool"), tmp_path / "prometheus"
    shutil.copytree(DEPLOY / "prometheus", folder)
    (folder / "token").write_text("a token\n")
    one = folder / "prometheus.yaml"
    one.write_text(one.read_text().replace("/etc/prometheus/plyscribe.token", str(folder / "token")))
    assert "FAILED" not in run(promtool, "check", "rules", folder / "alerts.yaml")
    for config in ("prometheus.yaml", "prometheus.many.yaml"):
        assert "is valid" in run(promtool, "check", "config", folder / config)


def test_promtool_takes_every_query_of_the_dashboards(tmp_path):
    rules = [
        {"record": f"query:{number}", "expr": query.replace("$__rate_interval", "5m")}
        for number, query in enumerate(list_queries())
    ]
    file = tmp_path / "queries.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": rules}]}))
    assert f"{len(rules)} rules found" in run(find_program("promtool"), "check", "rules", file)


def test_alarms_are_raised_by_what_they_are_for_and_by_nothing_else(tmp_path):
    def at(*series: tuple[str, str], minute: int, alert: str, raised: list[dict[str, object]]) -> dict[str, object]:
        return {
            "interval": "1m",
            "input_series": [{"series": name, "values": values} for name, values in series],
            "alert_rule_test": [{"eval_time": f"{minute}m", "alertname": alert, "exp_alerts": raised}],
        }

    away = [{"exp_labels": {"severity": "page"}, "exp_annotations": None}]
    rules = {rule["alert"]: rule for rule in read_yaml(DEPLOY / "prometheus" / "alerts.yaml")[0]["groups"][0]["rules"]}
    away[0]["exp_annotations"] = rules["PlyscribeStoreAway"]["annotations"]
    full = [{"exp_labels": {"severity": "page"}, "exp_annotations": rules["PlyscribeStoreNearlyFull"]["annotations"]}]
    used, limit = "plyscribe_store_memory_bytes", "plyscribe_store_memory_limit_bytes"
    tests = [
        at(("plyscribe_store_up", "0x10"), minute=5, alert="PlyscribeStoreAway", raised=away),
        at(("plyscribe_store_up", "1x10"), minute=5, alert="PlyscribeStoreAway", raised=[]),
        at((used, "90x20"), (limit, "100x20"), minute=10, alert="PlyscribeStoreNearlyFull", raised=full),
        at((used, "90x20"), (limit, "0x20"), minute=10, alert="PlyscribeStoreNearlyFull", raised=[]),
    ]
    file = tmp_path / "tests.yaml"
    alerts = str(DEPLOY / "prometheus" / "alerts.yaml")
    file.write_text(yaml.safe_dump({"rule_files": [alerts], "evaluation_interval": "1m", "tests": tests}))
    assert "SUCCESS" in run(find_program("promtool"), "test", "rules", file)


@pytest.mark.parametrize("names", ["play.example.org", "play.example.org, games.example.org"])
def test_caddy_takes_its_file(names):
    env = {"PLYSCRIBE_HOSTS": names, "HOME": "/nonexistent"}
    said = run(find_program("caddy"), "validate", "--config", DEPLOY / "Caddyfile", "--adapter", "caddyfile", **env)
    assert "Valid configuration" in said
    assert "not formatted" not in said


@pytest.fixture
def units(tmp_path) -> Path:
    """The units, with programs and settings that are there."""
    shutil.copytree(DEPLOY / "systemd", tmp_path, dirs_exist_ok=True)
    (programs := tmp_path / "bin").mkdir()
    for name in ("plyscribe", "python", "valkey-server"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    for unit in tmp_path.glob("*.service"):
        text = re.sub(r"(?m)^ExecStart=(/opt/plyscribe/bin|/usr/bin)/", f"ExecStart={programs}/", unit.read_text())
        assert f"ExecStart={programs}/" in text
        unit.write_text(text.replace("/etc/plyscribe/plyscribe.env", str(tmp_path / "plyscribe.env")))
    return tmp_path


def test_systemd_takes_the_units(units):
    names = [path.name.replace("@", "@1") for path in [*units.glob("*.service"), *units.glob("*.target")]]
    assert len(names) > 10
    assert run(find_program("systemd-analyze"), "verify", "--man=no", *names, cwd=units) == ""


def test_systemd_finds_the_units_well_protected(units):
    analyze = find_program("systemd-analyze")
    for path in units.glob("*.service"):
        threshold = f"--threshold={MOST_EXPOSED}"
        said = run(analyze, "security", "--offline=true", "--no-pager", threshold, f"./{path.name}", cwd=units)
        assert "Overall exposure level" in said


def test_systemd_would_make_the_users(units):
    systemd_sysusers = find_program("systemd-sysusers")
    said = run(systemd_sysusers, "--dry-run", units / "plyscribe.sysusers.conf")
    made = re.findall(r"(?:Would create|Creating) user '([\w-]+)'", said)
    assert sorted(made) == ["plyscribe", "plyscribe-store"]


@pytest.mark.parametrize("file", ["compose.yaml", "compose.many.yaml"])
def test_the_compose_files_follow_the_schema_of_compose(file):
    argv = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", DEPLOY / file]
    assert "ok" in run(*argv)


@pytest.mark.parametrize("path", sorted((DEPLOY / "kubernetes").glob("*.yaml")), ids=lambda path: path.name)
def test_the_manifests_follow_the_schemas_of_kubernetes(path):
    for manifest in read_yaml(path):
        if manifest and manifest["kind"] != "Kustomization":
            kubernetes_validate.validate(manifest, "1.37", strict=True)


def test_hadolint_has_nothing_to_say_of_the_containerfile():
    said = run(find_program("hadolint"), "--format", "json", "--failure-threshold", "none", DEPLOY / "Containerfile")
    assert json.loads(said) == []
