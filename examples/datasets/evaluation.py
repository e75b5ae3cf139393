"""How well does the evaluation tell who wins? Asks a dataset with polars: `python evaluation.py FOLDER`.

The rule is learnt from the split `train` alone and judged by `test`, which it has not seen.
"""

import sys
from pathlib import Path

import polars as pl

PHASES = 4


def read_moves(folder: Path) -> pl.LazyFrame:
    """The moves of matches for two: the seat's lead by the evaluation, how far the match is, and who won."""
    lead = pl.col("evaluation").list.get(0) - pl.col("evaluation").list.get(1)
    ranks = pl.col("ranks")
    return (
        pl.scan_parquet(folder / "plies.parquet")
        .filter(pl.col("kind") == "move", ranks.list.len() == 2, ranks.list.get(0) != ranks.list.get(1))
        .select(
            "split",
            lead=lead,
            phase=(PHASES * pl.col("ply") / (1 + pl.col("ply").max().over("match"))).cast(pl.Int32),
            won=ranks.list.get(0) == 1,
        )
    )


def main(folder: Path) -> None:
    """Print for each quarter of a match how often the side that leads is the one that wins."""
    moves = read_moves(folder)
    # A lead for whom? One seat may be better off at the same evaluation, so the middle is learnt too.
    middles = moves.filter(pl.col("split") == "train").group_by("phase").agg(middle=pl.col("lead").median())
    judged = (
        moves.filter(pl.col("split") == "test")
        .join(middles, on="phase")
        .group_by("phase")
        .agg(positions=pl.len(), right=((pl.col("lead") > pl.col("middle")) == pl.col("won")).mean())
        .sort("phase")
        .collect()
    )
    print("quarter  positions  right")
    for phase, positions, right in judged.iter_rows():
        print(f"{phase + 1:7}  {positions:9}  {right:5.0%}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
