"""Datasets: finished public matches of a ruleset as Parquet tables, for those who study play."""
