"""A match in one file: the bundle, the receipts that anchor it, and the report that checks both."""
