"""The rating model, the ledgers that say which matches count, and the rows that follow from them."""
