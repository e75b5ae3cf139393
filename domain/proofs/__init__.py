"""The proofs of a ruleset: move counts, playthroughs, vectors, and a digest over them."""
