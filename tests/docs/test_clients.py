"""The client on the page about clients calls a real service by the contract alone."""

import re
from typing import Any

import pytest

from tests.system.running import ROOT, serving

PAGE = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")


@pytest.mark.server
def test_the_client_of_the_page_needs_the_contract_alone(tmp_path):
    client, example = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {}
    with serving(tmp_path / "data") as service:
        exec(client + example.replace("http://127.0.0.1:8420", service.url), names)
        again = names["api"].call("matches_make_move", {"move": "+5"}, key="evening-1-1", match=names["match"])
    assert names["receipt"]["turn"] == {"decision": 2}
    assert again == names["receipt"]
    assert names["refused"]["code"] in ("move/illegal", "move/not-your-turn")
