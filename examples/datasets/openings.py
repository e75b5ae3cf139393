"""Which first moves did best? Asks a dataset with DuckDB: `python openings.py FOLDER`, with the folder of a dataset."""

import sys
from pathlib import Path

import duckdb

FIRST_MOVES = """
    SELECT line[1] AS move, sum(matches)::INT AS matches, sum(firsts[1]) / sum(matches) AS won
    FROM 'openings.parquet'
    WHERE ply = 1 AND len(firsts) = 2 AND split = 'train'
    GROUP BY move
    ORDER BY matches DESC, move
    LIMIT 10
"""
"""`firsts[1]` counts where seat 1 ranked first, alone or shared. Lists begin at 1 in DuckDB."""

EFFECTS = """
    SELECT effect.kind, count(*) AS effects, count(DISTINCT match) AS matches
    FROM (SELECT match, unnest(effects) AS effect FROM 'plies.parquet')
    GROUP BY effect.kind
    ORDER BY effects DESC, effect.kind
"""


def main(folder: Path) -> None:
    """Print the most played first moves, then how often each effect occurred."""
    with duckdb.connect() as database:
        database.execute("SET file_search_path = ?", [str(folder)])
        print("move      matches  seat 1 first")
        for move, matches, won in database.execute(FIRST_MOVES).fetchall():
            print(f"{move:8}  {matches:7}  {won:11.0%}")
        print("\neffect            times  in matches")
        for kind, effects, matches in database.execute(EFFECTS).fetchall():
            print(f"{kind:16}  {effects:5}  {matches:10}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
