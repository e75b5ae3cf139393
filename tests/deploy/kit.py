"""Reading the files of the deployment kit, and finding the programs that check them."""

import json
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.missing import do_without

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
DASHBOARDS = DEPLOY / "grafana" / "dashboards"
METRIC = re.compile(r"\bplyscribe_\w+")


def read_yaml(path: Path) -> list[Any]:
    """All documents of a file."""
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


def read_rules() -> list[dict[str, Any]]:
    [document] = read_yaml(DEPLOY / "prometheus" / "alerts.yaml")
    return [rule for group in document["groups"] for rule in group["rules"]]


def read_dashboards() -> dict[str, Any]:
    """All dashboards, by the name of their file."""
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in DASHBOARDS.glob("*.json")}


def list_queries() -> list[str]:
    """What the panels of all dashboards ask for."""
    panels = [panel for board in read_dashboards().values() for panel in board["panels"]]
    return [target["expr"] for panel in panels for target in panel.get("targets", ())]


def list_named_metrics() -> set[str]:
    asked = [*(rule["expr"] for rule in read_rules()), *list_queries()]
    return {name for text in asked for name in METRIC.findall(text)}


def find_program(name: str) -> str:
    """A program beside this Python or on PATH. Without it the test is skipped, and fails in the gate."""
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    return found or do_without(f"{name} is not there: make tools")


def prepare_caddy(url: str, ports: Sequence[int], home: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    """Command and environment of Caddy with the kit's file, at this address, in front of processes at these ports."""
    upstreams = " ".join(f"127.0.0.1:{port}" for port in ports)
    env = {"PLYSCRIBE_HOSTS": url, "PLYSCRIBE_WEB": f"to {upstreams}", "HOME": str(home)}
    return (find_program("caddy"), "run", "--config", str(DEPLOY / "Caddyfile"), "--adapter", "caddyfile"), env
