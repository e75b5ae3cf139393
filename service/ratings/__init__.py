"""The rating model and the ledgers that hold what counts for it."""
