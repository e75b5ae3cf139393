"""The alarms in deploy/ are those of docs/operations.md, and what dashboards ask for is documented there."""

import re

import pytest

from tests.deploy.kit import (
    DEPLOY,
    METRIC,
    ROOT,
    list_named_metrics,
    list_queries,
    read_dashboards,
    read_rules,
    read_yaml,
)

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
UNITS = {"s": "s", "min": "m", "h": "h"}
NOT_OURS = ("free space",)
"""What begins a row of the documentation for which Prometheus needs something beside Plyscribe."""


def read_documented_alarms() -> set[tuple[str, str]]:
    """Each condition in the table of alarms, with the time for which it must hold, as Prometheus writes it."""
    table = PAGE.partition("Useful alarms:\n\n")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    found = set()
    for when, lasting, *_ in rows:
        number, _, unit = lasting.partition(" ")
        conditions = [text for text in re.findall(r"`([^`]+)`", when) if not text.startswith("/")]
        assert conditions or when.startswith(NOT_OURS), when
        found |= {(text, f"{number}{UNITS[unit]}" if unit else "") for text in conditions if re.search("[<>=]", text)}
    return found


def test_the_alarms_are_those_of_the_documentation():
    documented = read_documented_alarms()
    assert len(documented) > 15
    assert {(rule["expr"], rule.get("for", "")) for rule in read_rules()} == documented


def test_each_alarm_has_a_name_of_its_own_and_says_what_it_means():
    rules = read_rules()
    assert len({rule["alert"] for rule in rules}) == len(rules)
    assert all(rule["annotations"]["summary"].endswith(".") for rule in rules)
    assert {rule["labels"]["severity"] for rule in rules} == {"page", "ticket"}


def test_each_metric_that_is_named_is_documented():
    documented = set(METRIC.findall(PAGE))
    named = {re.sub(r"_(bucket|count|sum)$", "", name) for name in list_named_metrics()}
    assert len(named) > 30
    assert named <= documented


@pytest.mark.parametrize("name", read_dashboards())
def test_the_panels_of_a_dashboard_ask_the_source_that_is_there(name):
    [sources] = read_yaml(DEPLOY / "grafana" / "provisioning" / "datasources" / "prometheus.yaml")
    known = {source["uid"] for source in sources["datasources"]}
    board = read_dashboards()[name]
    panels = board["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    for panel in panels:
        if panel["type"] != "row":
            assert panel["title"]
            assert panel["targets"]
            assert {target["datasource"]["uid"] for target in panel["targets"]} <= known
    assert len(list_queries()) > 30


def test_grafana_looks_for_dashboards_where_compose_puts_them():
    [document] = read_yaml(DEPLOY / "compose.many.yaml")
    mounts = dict(volume.split(":")[:2] for volume in document["services"]["grafana"]["volumes"])
    [provider] = read_yaml(DEPLOY / "grafana" / "provisioning" / "dashboards" / "plyscribe.yaml")
    assert provider["providers"][0]["options"]["path"] == mounts["./grafana/dashboards"]
