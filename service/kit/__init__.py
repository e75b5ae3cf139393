"""The kit for rulesets: their proofs on disk, and the package that `plyscribe new-ruleset` makes."""
