"""A match as one file: the bundle, the receipts that anchor it, and the report on both."""
