"""The measures of a report: their names in the field, their formulas and their sources."""

from typing import NamedTuple

LUDII = "Ludii (Piette, Soemers, Stephenson and Browne), package `metrics`"
BROWNE = "Browne, Automatic Generation and Evaluation of Recombination Games (2008)"


class Measure(NamedTuple):
    """A measure. `title` is its name in the source if it means the same there."""

    key: str
    title: str
    formula: str
    source: str


MEASURES = (
    Measure(
        "score",
        "Score of a seat",
        "The share of the other seats that it is placed above, a tie being half: ½ for every seat of an even game, "
        "whatever the number of seats. Interval: Wilson's, with the effective number of matches.",
        "Wilson (1927); Kish, Survey Sampling (1965). The score is that of Plyscribe's tournaments.",
    ),
    Measure("advantage_p1", "AdvantageP1", "Matches that seat 1 alone won / matches.", f"{LUDII}; {BROWNE}."),
    Measure(
        "balance",
        "Balance",
        "1 − the greatest difference between the shares of wins of two seats.",
        f"{LUDII}; {BROWNE}.",
    ),
    Measure("completion", "Completion", "Matches with one winner / matches.", f"{LUDII}; {BROWNE}."),
    Measure(
        "drawishness",
        "Drawishness",
        "Matches without one winner that ended before the limit / matches.",
        f"{LUDII}; {BROWNE}.",
    ),
    Measure(
        "timeouts",
        "Timeouts",
        "Matches that the limit of moves ended, or that took 10,000 moves and rolls / matches.",
        f"{LUDII}.",
    ),
    Measure("plies", "DurationMoves", "Moves of a match, without rolls.", f"{LUDII}; {BROWNE} (Duration)."),
    Measure(
        "branching_factor",
        "Branching Factor",
        "Mean over matches of the mean number of legal moves. Of each match up to 8 decisions are looked at, every one "
        "with the same probability. Beyond 1,000 moves the number is estimated from 1,000 drawn ones: seen + "
        "once (once − 1) / (2 (twice + 1)), a lower bound.",
        f"{LUDII}; Vitter (1985) for the sample of decisions; Chao (1984) for the estimate.",
    ),
    Measure("decision_moves", "Decision Moves", "Decisions with more than one legal move / decisions.", f"{LUDII}."),
    Measure(
        "decision_factor", "Decision Factor", "Mean number of legal moves where there is more than one.", f"{LUDII}."
    ),
    Measure(
        "game_tree_complexity",
        "Game Tree Complexity",
        "Mean over matches of moves × log10(mean number of legal moves): the tree has about ten to this power of "
        "leaves.",
        f"{LUDII}; Allis, Searching for Solutions in Games and Artificial Intelligence (1994).",
    ),
    Measure(
        "chance",
        "Chance of a seat",
        "Its expected score, given how far its value by `evaluate` is above the best of the others: isotonic "
        "regression over all matches of the same bots. Ludii takes values of UCT here instead.",
        "Barlow, Bartholomew, Bremner and Brunk, Statistical Inference under Order Restrictions (1972).",
    ),
    Measure(
        "lead_changes",
        "Lead Change",
        "How often another seat alone has the best value than the one that had it last. Ludii's measure is this "
        "number for each move, and counts a tie as a leader of its own.",
        f"{BROWNE}; {LUDII}.",
    ),
    Measure(
        "drama_average",
        "Drama Average, Drama Maximum",
        "In matches with a winner: how far its chance is below the best chance of a seat, the mean and the greatest "
        "over the positions of a match; then the mean over matches. Browne takes the square root of each "
        "difference, and only positions where the winner is behind.",
        f"{LUDII}; {BROWNE}.",
    ),
    Measure(
        "comebacks",
        "Comebacks",
        "Matches with a winner whose chance was 25 % or less at some time / matches with a winner.",
        "Ours.",
    ),
    Measure(
        "decided_at",
        "Decisiveness Moves",
        "The share of a match after which the winner's chance is above the Decisiveness Threshold, the best chance "
        "that any loser had in the whole match; 1 if it never is.",
        f"{LUDII}; {BROWNE}.",
    ),
    Measure(
        "leader_wins",
        "Forecast",
        "For each tenth of a match: the mean score of the seat that is ahead in the middle of it.",
        "Ours.",
    ),
    Measure(
        "repetition",
        "Positional Repetition",
        "Steps of a match that led to a position which had been there before / steps. Positions are the same if "
        "the views differ in nothing but the number of moves played.",
        f"{LUDII}.",
    ),
    Measure(
        "gradient",
        "Skill gradient",
        "The score of each bot of the ladder against the one below it, with exchanged seats on the same dice. Ludii's "
        "Skill trace doubles the playouts in the same way.",
        f"{LUDII} (Skill trace).",
    ),
    Measure(
        "luck",
        "Luck and skill",
        "Score = mean + lineup + dice + lineup × dice + seeds + rest, all random, every lineup on the same dice. "
        "Skill: the share of `lineup` in the variance. Luck: the share of dice + lineup × dice + rest, which is what "
        "other dice alone would change. Intervals: jackknives over lineups and dice.",
        "Searle, Casella and McCulloch, Variance Components (1992); Sobol' (1993); Homma and Saltelli (1996); Efron "
        "and Stein (1981).",
    ),
    Measure(
        "kinds",
        "Dead and dominant kinds of moves",
        "Of the decisions that offer a kind of move beside others: how many chose it. Dead: the interval ends below "
        "5 %; dominant: it begins above 90 %; nothing is said of fewer than 30 decisions. A kind is what the seat "
        "chose in the move, by its effects.",
        "Ours.",
    ),
    Measure(
        "clauses",
        "Clauses in play",
        "A clause is seen if an effect names it; it forbade if it refused a move that is legal in another position; it "
        "is unseen if effects can name it and none did; it is silent if nothing ever names it, as with definitions. "
        "Clauses seen only with another option are marked. Bots never leave a match.",
        "Ours.",
    ),
    Measure(
        "options",
        "Sensitivity to an option",
        "The mean difference to the options of the study, match by match on the same dice and seeds, between greedy "
        "bots; one option at a time. Interval: Student's.",
        "Saltelli et al., Sensitivity Analysis in Practice (2004), one at a time.",
    ),
    Measure(
        "comparison",
        "Comparison",
        "On each board a measure is higher, equal or lower under the second ruleset. Two sequential tests, for more "
        "and for less, decide between a share of ½ and ½ ± the difference; 5 % of error over all measures.",
        "Wald (1945); Sobel and Wald (1949); the likelihood ratio of M. Van den Bergh, as in Plyscribe's tournaments.",
    ),
)
