"""The tables of a dataset: their columns, what each means, and the version of all that.

docs/datasets.md has the same tables; a test holds them against these.
"""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA_VERSION = 1
"""Grows whenever a column changes its meaning, its type or its name, or goes. A new column alone does not change it."""

OPENING_MOVES = 8
"""The longest lines of `openings`, in moves."""

OPENING_MATCHES = 2
"""Lines that fewer matches began with are not in `openings`: they can be read from `plies`."""


class Column(NamedTuple):
    """A column of a table. `type` is a word of TYPES."""

    name: str
    type: str
    meaning: str
    nullable: bool = False


SEAT = (
    Column("kind", "string", "`account`, `guest` (somebody without an account) or `bot` (a bot of the server)"),
    Column("player", "string", "the id of the account; never a name", True),
    Column("bot", "string", "the bot, such as `mcts`", True),
    Column("bot_version", "int32", "the build of the bot", True),
    Column("playouts", "int32", "how many playouts a decision of the bot has", True),
    Column("build", "string", "SHA-256 of the program that the account last said plays for it, in hex", True),
)
"""Who held a seat."""

EFFECT = (
    Column("kind", "string", "a word of the ruleset, such as `trapped`"),
    Column("clause", "string", "the clause of the rules that it follows from", True),
    Column("chosen", "bool", "whether the seat chose it; what only follows from a choice, or from dice, is not"),
    Column("seat", "int16", "the seat that caused it", True),
    Column("owner", "int16", "the seat that it concerns", True),
    Column("piece", "string", "the sort of piece", True),
    Column("from", "string", "the field that it went from, or a place beside the board", True),
    Column("to", "string", "the field or place that it went to, or where it happened", True),
    Column("amount", "int64", "how many, or how much", True),
    Column("word", "string", "another word of the ruleset: a terrain, a class, a reason", True),
)
"""One thing that a step did."""

MATCHES = (
    Column("match", "string", "the id of the match"),
    Column("split", "string", "`train`, `validation` or `test`, by the hash of `match`"),
    Column("hash", "string", "the hash of the event that ended the match, in hex: it covers all events before it"),
    Column("ruleset_version", "int16", "the version of the rules that were played"),
    Column("options", "string", "all options, as canonical JSON"),
    Column("preset", "string", "the name of these options; `default` for the defaults", True),
    Column("seats", "list<seat>", "who held each seat at the end, from seat 1 on"),
    Column("rated", "bool", "whether the match was made to count for ratings"),
    Column("recorded", "bool", "whether somebody entered the moves, as for a match at a real table"),
    Column("dice", "string", "`server`, `shared` or `recorded`; null in games without dice", True),
    Column("limits", "string", "the time limits, as canonical JSON; null without any", True),
    Column("tournament", "string", "the id of the tournament", True),
    Column("copied_plies", "int32", "how many moves it began with as a fork of another; `plies` lacks them"),
    Column("server", "string", "the software that recorded it, with its version"),
    Column("created_at", "timestamp", "when the match was created"),
    Column("ended_at", "timestamp", "when the match ended"),
    Column("plies", "int32", "how many moves were made, with copied ones"),
    Column("reason", "string", "why it ended, a word of the ruleset"),
    Column("ranks", "list<int16>", "the rank of each seat, 1 for the best; seats that tie share a rank"),
    Column("line", "string", "SHA-256 of all steps, in hex: equal in matches that were played alike"),
    Column("final_position", "string", "the key of the last position"),
)

PLIES = (
    Column("match", "string", "the id of the match"),
    Column("split", "string", "the split of the match"),
    Column("ruleset_version", "int16", "the version of the rules that were played"),
    Column("step", "int32", "the number of the step in its match, from 0; copied steps of a fork are counted"),
    Column("ply", "int32", "how many moves were made before this step"),
    Column("kind", "string", "`move`, `roll`, `left` (a seat left the match) or `ended` (by agreement)"),
    Column("seat", "int16", "the seat that moved, rolled or left; null for a roll of the table, and for `ended`", True),
    Column("position", "string", "the key of the position before the step"),
    Column("move", "string", "the move in its notation; null for other steps", True),
    Column("folded_move", "string", "the move as it is written where its key's position stands for all", True),
    Column("roll", "list<int32>", "what the dice showed; null for other steps", True),
    Column("effects", "list<effect>", "what the step did, in order"),
    Column("took_ms", "int64", "how long the seat took for the move, by the clock of the server", True),
    Column(
        "clock_ms",
        "int64",
        "what the seat had for the move when its clock began; null without limits",
        True,
    ),
    Column("evaluation", "list<int64>", "the ruleset's heuristic for each seat before the step; greater is better"),
    Column("ranks", "list<int16>", "the rank of each seat in the end, as in `matches`"),
)

OPENINGS = (
    Column("split", "string", "the split of these matches"),
    Column("ruleset_version", "int16", "the version of the rules that were played"),
    Column("options", "string", "all options, as canonical JSON"),
    Column("seats", "int16", "how many seats the matches had"),
    Column("ply", "int16", f"how many moves the line has, at most {OPENING_MOVES}"),
    Column("line", "list<string>", "its steps: moves in their notation, rolls as `(3,1)`, and `left 2` for seat 2"),
    Column("position", "string", "the key of the position that it leads to, before the next move"),
    Column("matches", "int32", f"how many matches began so, at least {OPENING_MATCHES}; forks are not counted"),
    Column("firsts", "list<int32>", "for each seat, in how many of them it had rank 1, alone or shared"),
    Column("rank_sums", "list<int32>", "for each seat, the sum of its ranks in them"),
)

TABLES = {"matches": MATCHES, "plies": PLIES, "openings": OPENINGS}
"""The tables, by the names of their files."""

NESTED = {"seat": SEAT, "effect": EFFECT}
"""Structures in columns."""

DISTINCT = frozenset({"hash", "position", "final_position", "line", "evaluation", "took_ms", "clock_ms"})
"""Columns that rarely repeat a value, for which a dictionary would be a waste."""


def build_schema(table: str) -> "pa.Schema":
    """The Arrow schema of a table, with the meaning of each column as its `description`."""
    import pyarrow as pa

    plain = {
        "string": pa.string(),
        "bool": pa.bool_(),
        "int16": pa.int16(),
        "int32": pa.int32(),
        "int64": pa.int64(),
        "timestamp": pa.timestamp("ms", tz="UTC"),
    }

    def find_type(name: str) -> pa.DataType:
        if name.startswith("list<"):
            # Parquet itself calls the elements so.
            return pa.list_(pa.field("element", find_type(name[5:-1]), nullable=False))
        return plain[name] if name in plain else pa.struct([make_field(each) for each in NESTED[name]])

    def make_field(column: Column) -> pa.Field:
        return pa.field(column.name, find_type(column.type), column.nullable, {"description": column.meaning})

    return pa.schema([make_field(column) for column in TABLES[table]])
