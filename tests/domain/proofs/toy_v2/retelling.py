"""The second toy, retold: the first one with one clause more, which changes nothing on the board."""

from tests.domain.proofs.toy_v1.retelling import CHANGING, RETOLD, settle

__all__ = ["CHANGING", "RETOLD", "settle"]
