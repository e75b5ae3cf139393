"""How matches are found: where to look for them, and who may see which ones."""

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa

from plyscribe.service.access.accounts import Principal
from plyscribe.service.access.reading import OVERSEERS
from plyscribe.service.database.rows import LAST, list_beginning
from plyscribe.service.lists.match_rows import KEYS, MatchTables, make_term
from plyscribe.service.lists.paging import MAX_SCANNED, Span

MAX_BEGINNINGS = 20
"""Words with the same beginning that are looked up one by one."""


class Condition(NamedTuple):
    """A match has any of these terms, or none of them."""

    terms: tuple[str, ...]
    holds: bool = True


class Beginning(NamedTuple):
    """A match has a term with this beginning."""

    text: str


ANY = Condition(("all",))
"""Every match meets it."""


class Search(NamedTuple):
    """What is searched for, in which order, and by whom."""

    conditions: Sequence[Condition | Beginning]
    """Those that few matches meet come first."""

    sort: str
    low: int
    high: int | None
    """The bounds of the key of `sort`; `high` is not included."""

    who: Principal | None


class Found(NamedTuple):
    """Where all matches of a search are, and the conditions that they still have to meet."""

    spans: Sequence[Span]
    rest: Sequence[Condition | Beginning]


def may_see(tables: MatchTables, who: Principal | None) -> sa.ColumnElement[bool]:
    """The matches that `who` may see, by the rule of `plyscribe.service.access.reading`. Every page goes through it."""
    is_public = tables.matches.c.private == sa.false()
    if who is None:
        return is_public
    return sa.true() if _is_overseer(who) else is_public | meets(tables, Condition((make_term("reader", who.account),)))


def _is_overseer(who: Principal) -> bool:
    return not set(OVERSEERS).isdisjoint(who.scopes)


def meets(tables: MatchTables, condition: Condition | Beginning) -> sa.ColumnElement[bool]:
    """Whether a row of matches meets a condition."""
    term = tables.terms.c.term
    found: sa.ColumnElement[bool] = (
        (term >= condition.text) & (term < condition.text + LAST)
        if isinstance(condition, Beginning)
        else term.in_(condition.terms)
    )
    is_met = (
        sa.select(sa.literal(1))
        .where(tables.terms.c.match == tables.matches.c.id, found)
        .correlate(tables.matches)
        .exists()
    )
    return is_met if isinstance(condition, Beginning) or condition.holds else ~is_met


def find_spans(connection: sa.Connection, tables: MatchTables, search: Search) -> Found:
    """Where to look: at the condition that fewest public matches meet, and likewise at private ones.

    Nobody but an overseer looks at private matches that they may not see, so no cursor names one of these.
    """
    places = {each: terms for each in search.conditions if (terms := _list_terms(connection, tables, each))}
    chosen = [_choose(connection, tables, search, places or {ANY: ANY.terms}, private=False)]
    if search.who is not None:
        if not _is_overseer(search.who):
            own, reader = f":{search.who.account}", Condition((make_term("reader", search.who.account),))
            places = {each: terms for each, terms in places.items() if all(term.endswith(own) for term in terms)}
            places[reader] = reader.terms
        chosen.append(_choose(connection, tables, search, places or {ANY: ANY.terms}, private=True))
    met = {condition for condition, _ in chosen}
    rest = [each for each in search.conditions if met != {each}]
    return Found([span for _, spans in chosen for span in spans], rest)


def _list_terms(
    connection: sa.Connection, tables: MatchTables, condition: Condition | Beginning
) -> tuple[str, ...] | None:
    """The terms of which every match that meets the condition has one; None if they are too many to look them up."""
    if isinstance(condition, Condition):
        return condition.terms if condition.holds else None
    terms = list_beginning(connection, tables.terms.c.term, condition.text, MAX_BEGINNINGS + 1)
    return tuple(terms) or (condition.text,) if len(terms) <= MAX_BEGINNINGS else None


_Choice = tuple[Condition | Beginning, list[Span]]


def _choose(
    connection: sa.Connection,
    tables: MatchTables,
    search: Search,
    places: dict[Condition | Beginning, tuple[str, ...]],
    private: bool,
) -> _Choice:
    """The condition with the fewest matches, as far as they are counted, and where these are."""
    choices = [
        (condition, [_make_span(tables, search, term, private) for term in terms])
        for condition, terms in places.items()
    ]
    if len(choices) == 1:
        return choices[0]
    sizes = connection.execute(sa.select(*(_count(spans) for _, spans in choices))).one()
    return choices[sizes.index(min(sizes))]


def _make_span(tables: MatchTables, search: Search, term: str, private: bool) -> Span:
    terms = tables.terms
    key = terms.c[KEYS[search.sort]]
    where = [terms.c.term == term, terms.c.private == (sa.true() if private else sa.false()), key >= search.low]
    if search.high is not None:
        where.append(key < search.high)
    return Span(key, terms.c.match, sa.and_(*where))


def _count(spans: Sequence[Span]) -> sa.ScalarSelect[int]:
    """How many rows the spans have; above MAX_SCANNED it is not exact."""
    each = [
        sa.select(sa.select(sa.literal(1).label("one")).where(span.where).limit(MAX_SCANNED).subquery())
        for span in spans
    ]
    rows = sa.union_all(*each).subquery()
    return sa.select(sa.func.count()).select_from(rows).scalar_subquery()
