"""The registry: every ruleset in every released version, found by id and version."""

from plyscribe.domain.errors import UnknownRuleset
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets.crystals_v1 import CRYSTALS_V1
from plyscribe.domain.rulesets.pathagon_v1 import PATHAGON_V1
from plyscribe.domain.rulesets.portals_v1 import PORTALS_V1
from plyscribe.domain.rulesets.rings_v1 import RINGS_V1
from plyscribe.domain.rulesets.zhen_v1 import ZHEN_V1

RULESETS: list[AnyRuleset] = []
"""All registered rulesets, sorted by id, and within an id newest version first."""


def register(ruleset: AnyRuleset) -> None:
    """Register a ruleset, once or again; ValueError when another ruleset has its id and version."""
    for known in RULESETS:
        if (known.id, known.version) == (ruleset.id, ruleset.version):
            if known is ruleset:
                return
            raise ValueError(f"another ruleset is registered as {ruleset.id} version {ruleset.version}")
    RULESETS.append(ruleset)
    RULESETS.sort(key=lambda r: (r.id, -r.version))


def find_ruleset(id: str, version: int | None = None) -> AnyRuleset:
    """The ruleset with this id, in this version or else the newest; UnknownRuleset when there is none."""
    for ruleset in RULESETS:
        if ruleset.id == id and version in (None, ruleset.version):
            return ruleset
    raise UnknownRuleset(id, version)


def list_newest() -> list[AnyRuleset]:
    """The newest version of every ruleset, sorted by id."""
    return [find_ruleset(id) for id in dict.fromkeys(ruleset.id for ruleset in RULESETS)]


register(CRYSTALS_V1)
register(PATHAGON_V1)
register(PORTALS_V1)
register(RINGS_V1)
register(ZHEN_V1)
