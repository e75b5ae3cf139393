"""What proves a ruleset: move counts, playthroughs, vectors and the digest over all of them."""
