"""The language in which positions and effects are searched for; docs/explorer.md describes it for readers.

A query is checked against the effects that a ruleset declares, so it works for every ruleset, and a word that the
ruleset does not have is found before anything is searched. `parse_query` turns it into a test of single steps, with the
terms that a match must have so that the test can hold.
"""

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from fnmatch import translate as translate_pattern
from functools import cache
from typing import Any, NamedTuple

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken

from plyscribe.domain.effects import DETAILS, NAMES, Effect, EffectKind
from plyscribe.domain.positions import KEY_LENGTH
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.errors import BadRequest
from plyscribe.service.explorer.counted_matches import make_term, name_rules
from plyscribe.service.explorer.step_query import EffectTest, Need, Query, Test

MAX_QUERY = 300
"""Characters of a query."""

MOST_CONDITIONS = 20
"""The effects and facts that a query can name."""

MOST_ALLOWED = 60
"""Words that a refusal lists."""

GRAMMAR = r"""
    start: choice (_THEN choice)*
    choice: joint (_OR joint)*
    joint: _test (_AND _test)*
    _test: negation | "(" choice ")" | effect | fact
    negation: _NOT _test
    effect: VALUE (detail | bare)*
    bare: VALUE | STRING
    detail: NAME OPERATOR values
    fact: NAME OPERATOR values
    values: (VALUE | STRING) ("|" (VALUE | STRING))*

    _THEN.3: /then(?![\w*-])/
    _OR.3: /or(?![\w*-])/
    _AND.3: /and(?![\w*-])/
    _NOT.3: /not(?![\w*-])/
    NAME.2: /[a-z]+(?=\s*[<>=!])/
    OPERATOR: /[<>!]=|[<>=]/
    VALUE: /[\w*+-]+/
    STRING: /"[^"]*"/
    %ignore /\s+/
"""

EXPECTED = {
    "VALUE": "a word",
    "STRING": '"…"',
    "NAME": "a detail, as in piece=",
    "OPERATOR": "= != < <= > >=",
    "LPAR": "(",
    "RPAR": ")",
    "VBAR": "|",
    "_THEN": "then",
    "_OR": "or",
    "_AND": "and",
    "_NOT": "not",
    "$END": "the end",
}
"""What each terminal of the grammar is called in a refusal."""

ANY = "any"
"""Stands for every kind of effect."""

AT = "at"
"""A detail that holds if `from` or `to` does."""

NUMBERS = ("seat", "owner", "amount")
TEXTS = ("piece", "from", "to", "word", "clause", AT)
FACTS = ("ply", "by", "move", "position")
"""What can be asked of a step besides its effects: its number, who took it, its notation, the position before it."""

FIELDS = {NAMES.get(name, name): Effect._fields.index(name) for name in ("clause", *DETAILS)}
"""The place of each detail in an effect."""

KIND = 0
"""The place of the kind."""

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}

_KEY = re.compile(rf"[a-z2-7]{{{KEY_LENGTH}}}")


class Condition(NamedTuple):
    """A part of a query."""

    test: Test
    needs: tuple[Need, ...] = ()


class QueryFault(BadRequest):
    """A query cannot be read. `column` is the place of the fault, counted in characters from 1."""


def parse_query(ruleset: AnyRuleset, text: str) -> Query:
    """The query in this text; QueryFault if it is none, or names what steps of the ruleset do not have."""
    if len(text) > MAX_QUERY:
        message = f"the query has {len(text)} characters: use at most {MAX_QUERY}"
        raise QueryFault(message, "explorer/too-long", most=MAX_QUERY)
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        raise _explain(error, text) from None
    count = sum(1 for _ in tree.find_pred(lambda each: each.data in ("effect", "fact")))
    if count > MOST_CONDITIONS:
        message = f"the query names {count} effects and facts: name at most {MOST_CONDITIONS}"
        raise QueryFault(message, "explorer/too-many", most=MOST_CONDITIONS)
    parts = [_Reader(ruleset).read(part) for part in _branches(tree)]
    return Query(tuple(part.test for part in parts), tuple(need for part in parts for need in part.needs))


@cache
def _parser() -> Lark:
    return Lark(GRAMMAR, parser="lalr", lexer="basic", maybe_placeholders=False)


def _branches(tree: Tree[Token]) -> list[Tree[Token]]:
    return [child for child in tree.children if isinstance(child, Tree)]


def _explain(error: UnexpectedInput, text: str) -> QueryFault:
    """What stands where the grammar allows something else, and what it allows there."""
    ends = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    at = len(text.rstrip()) if ends else error.pos_in_stream or 0
    names = _list_accepted(text[:at]) or set(getattr(error, "allowed", None) or ())
    allowed = ", ".join(word for name, word in EXPECTED.items() if name in names)
    found = _show_found(text, at)
    message = f"the query cannot be read at character {at + 1}, {found}: allowed here is {allowed}"
    return QueryFault(message, "explorer/syntax", column=at + 1, found=found, allowed=allowed)


def _list_accepted(beginning: str) -> set[str]:
    """The terminals that can follow this beginning of a query; none if it is not one."""
    reading = _parser().parse_interactive(beginning)
    try:
        reading.exhaust_lexer()
    except UnexpectedInput:
        return set()
    return set(reading.accepts())  # type: ignore[no-untyped-call]


def _show_found(text: str, at: int) -> str:
    found = re.match(r"[\w*+-]+|.", text[at:], re.DOTALL)
    return f"`{found[0]}`" if found else "the end"


class _Reader:
    """Turns the tree of a query into conditions on the steps of one ruleset."""

    def __init__(self, ruleset: AnyRuleset) -> None:
        self._ruleset = ruleset
        self._rules = name_rules(ruleset)
        self._kinds = {kind.kind: kind for kind in ruleset.effect_kinds}

    def read(self, tree: Tree[Token]) -> Condition:
        """The condition of a part."""
        match tree.data:
            case "choice":
                return _either([self.read(each) for each in _branches(tree)])
            case "joint":
                return _all([self.read(each) for each in _branches(tree)])
            case "negation":
                [part] = _branches(tree)
                test = self.read(part).test
                return Condition(lambda step: not test(step))
            case "fact":
                return self._read_fact(tree)
        return self._read_effect(tree)

    # ------------------------------------------------------------------------------------------------------- effects

    def _read_effect(self, tree: Tree[Token]) -> Condition:
        first, *rest = tree.children
        assert isinstance(first, Token)
        least = 1
        if first.isdecimal():
            least = self._read_count(first)
            first, rest = self._take_kind(first, rest)
        kinds = self._find_kinds(first)
        tests: list[EffectTest] = []
        words: list[str] = []
        for item in rest:
            assert isinstance(item, Tree)
            if item.data == "bare":
                test, known = self._read_bare(kinds, item)
            else:
                test, known = self._read_detail(kinds, item)
            tests.append(test)
            words += known
        name = None if first == ANY else str(first)
        terms = [make_term(self._rules, name, *words[:1])] if name else []
        return Condition(_make_effect_test(name, tests, least), (Need(frozenset(terms)),) if terms else ())

    def _read_count(self, token: Token) -> int:
        count = int(token) if len(token) <= 3 else 0
        if not 1 <= count <= 100:
            raise _refuse(
                "explorer/number", token, "a number from 1 to 100 says how many such effects a step has at least"
            )
        return count

    def _take_kind(self, count: Token, rest: list[Any]) -> tuple[Token, list[Any]]:
        """The kind after a number, and what follows it."""
        if rest and rest[0].data == "bare":
            return rest[0].children[0], rest[1:]
        at = (count.end_pos or 0) + 1
        allowed = self._list_kinds()
        message = f"after the number at character {at} goes a kind of effect: {allowed}"
        raise QueryFault(message, "explorer/kind-missing", column=at, allowed=allowed)

    def _list_kinds(self) -> str:
        return ", ".join((*self._kinds, ANY))

    def _find_kinds(self, token: Token) -> list[EffectKind]:
        if token == ANY:
            return list(self._kinds.values())
        if token in self._kinds:
            return [self._kinds[str(token)]]
        title, allowed = self._ruleset.title, self._list_kinds()
        raise _refuse_word("explorer/kind", token, (*self._kinds, ANY), f"{title} has no such effect", allowed)

    def _read_bare(self, kinds: Sequence[EffectKind], tree: Tree[Token]) -> tuple[EffectTest, list[str]]:
        """A word alone is a piece or a word of the effect."""
        [token] = tree.children
        assert isinstance(token, Token)
        value = _unquote(token)
        known = list(dict.fromkeys(word for kind in kinds for word in (*kind.pieces, *kind.words)))
        if value not in known:
            details = ", ".join(f"{name}=" for name in _list_details(kinds))
            why = "a word alone is a piece or a word that the effect can name; all else needs its detail"
            raise _refuse_word("explorer/word", token, known, why, ", ".join([*known[:MOST_ALLOWED], details]))
        places = [FIELDS["piece"], FIELDS["word"]]
        return lambda effect: any(effect[place] == value for place in places), [value]

    def _read_detail(self, kinds: Sequence[EffectKind], tree: Tree[Token]) -> tuple[EffectTest, list[str]]:
        name, operator, values = tree.children
        assert isinstance(name, Token)
        assert isinstance(operator, Token)
        assert isinstance(values, Tree)
        details = _list_details(kinds)
        if name not in details:
            if name in FACTS:
                message = f"`{name}` at character {_at(name)} is about the whole step: write `and` before it"
                raise QueryFault(message, "explorer/fact", column=_at(name), found=str(name))
            raise _refuse_word("explorer/detail", name, details, "the effect has no such detail", ", ".join(details))
        tokens = [token for token in values.children if isinstance(token, Token)]
        if name in NUMBERS:
            return self._read_number(FIELDS[name], operator, tokens), []
        texts = self._require_texts(kinds, name, operator, tokens)
        places = [FIELDS["from"], FIELDS["to"]] if name == AT else [FIELDS[name]]
        matches = _compile_patterns(texts)
        holds = operator == "="

        def test(effect: Sequence[Any]) -> bool:
            found = [value for place in places if (value := effect[place]) is not None]
            return bool(found) and any(map(matches, found)) == holds

        exact = holds and len(texts) == 1 and "*" not in texts[0] and name in ("piece", "word")
        return test, texts if exact else []

    def _read_number(self, place: int, operator: Token, tokens: Sequence[Token]) -> EffectTest:
        test = _compare_numbers(operator, tokens)
        return lambda effect: effect[place] is not None and test(effect[place])

    def _require_texts(
        self, kinds: Sequence[EffectKind], name: Token, operator: Token, tokens: Sequence[Token]
    ) -> list[str]:
        _require_equality(name, operator)
        known: list[str] | None = None
        if name in ("piece", "word"):
            known = list(dict.fromkeys(w for kind in kinds for w in (kind.pieces if name == "piece" else kind.words)))
        elif name == "clause":
            known = list(dict.fromkeys(clause for kind in kinds for clause in kind.clauses if clause))
        if known is not None:
            for token in tokens:
                if not any(_compile_patterns([_unquote(token)])(word) for word in known):
                    why = f"the effect never has such a {name}"
                    raise _refuse_word("explorer/value", token, known, why, ", ".join(known[:MOST_ALLOWED]))
        return [_unquote(token) for token in tokens]

    # --------------------------------------------------------------------------------------------------------- facts

    def _read_fact(self, tree: Tree[Token]) -> Condition:
        name, operator, values = tree.children
        assert isinstance(name, Token)
        assert isinstance(operator, Token)
        assert isinstance(values, Tree)
        tokens = [token for token in values.children if isinstance(token, Token)]
        match str(name):
            case "ply":
                of_ply = _compare_numbers(operator, tokens)
                return Condition(lambda step: of_ply(step.ply))
            case "by":
                of_seat = _compare_numbers(operator, tokens)
                return Condition(lambda step: step.seat is not None and of_seat(step.seat))
            case "move":
                _require_equality(name, operator)
                matches, holds = _compile_patterns([_unquote(token) for token in tokens]), operator == "="
                return Condition(lambda step: step.move is not None and matches(step.move) == holds)
            case "position":
                return self._read_position(name, operator, tokens)
        if name in (*TEXTS, *NUMBERS):
            message = f"`{name}` at character {_at(name)} is a detail of an effect: name the effect before it"
            raise QueryFault(message, "explorer/effect-missing", column=_at(name), found=str(name))
        raise _refuse_word("explorer/detail", name, FACTS, "a step has no such fact", ", ".join(FACTS))

    def _read_position(self, name: Token, operator: Token, tokens: Sequence[Token]) -> Condition:
        if operator != "=":
            raise _refuse("explorer/operator", operator, f"`{name}` takes = alone", allowed="=")
        keys = frozenset(map(_unquote, tokens))
        for token in tokens:
            if not _KEY.fullmatch(_unquote(token)):
                raise _refuse("explorer/key", token, f"the key of a position has {KEY_LENGTH} letters and digits")
        return Condition(lambda step: step.position in keys, (Need(positions=keys),))


def _either(parts: Sequence[Condition]) -> Condition:
    """One of the parts holds: a match needs what any one of them needs."""
    if len(parts) == 1:
        return parts[0]
    tests, firsts = [part.test for part in parts], [part.needs[0] for part in parts if part.needs]
    needs: tuple[Need, ...] = ()
    if len(firsts) == len(parts):
        terms, positions = ([each[place] for each in firsts] for place in range(2))
        needs = (Need(frozenset().union(*terms), frozenset().union(*positions)),)
    return Condition(lambda step: any(test(step) for test in tests), needs)


def _all(parts: Sequence[Condition]) -> Condition:
    """All of the parts hold."""
    if len(parts) == 1:
        return parts[0]
    tests, needs = [part.test for part in parts], [need for part in parts for need in part.needs]
    return Condition(lambda step: all(test(step) for test in tests), tuple(needs))


def _make_effect_test(name: str | None, tests: Sequence[EffectTest], least: int) -> Test:
    def passes(effect: Sequence[Any]) -> bool:
        return (name is None or effect[KIND] == name) and all(test(effect) for test in tests)

    if least == 1:
        return lambda step: any(map(passes, step.effects))
    return lambda step: sum(map(passes, step.effects)) >= least


def _list_details(kinds: Sequence[EffectKind]) -> list[str]:
    """The details that effects of these kinds can have, as queries call them."""
    found = {NAMES.get(name, name) for kind in kinds for name in kind.has + kind.may}
    places = {AT} if found & {"from", "to"} else set()
    return [name for name in (*NUMBERS, *TEXTS) if name in found | places | {"clause"}]


def _compare_numbers(operator: Token, tokens: Sequence[Token]) -> Callable[[int], bool]:
    compare = COMPARISONS[operator]
    for token in tokens:
        if not re.fullmatch(r"-?[0-9]{1,9}", token):
            raise _refuse("explorer/number", token, "a number is due here")
    if len(tokens) > 1 and operator != "=":
        raise _refuse("explorer/operator", operator, "several numbers go with = alone", allowed="=")
    numbers = list(map(int, tokens))
    return lambda value: any(compare(value, number) for number in numbers)


def _compile_patterns(texts: Sequence[str]) -> Callable[[str], bool]:
    """Whether a text is one of these, in which a star stands for any characters."""
    if not any("*" in text for text in texts):
        plain = frozenset(texts)
        return lambda value: value in plain
    escaped = (re.sub(r"([\[?])", r"[\1]", re.sub(r"\*+", "*", text)) for text in texts)
    pattern = re.compile("|".join(map(translate_pattern, escaped)))
    return lambda value: pattern.match(value) is not None


def _unquote(token: Token) -> str:
    return str(token)[1:-1] if token.type == "STRING" else str(token)


def _require_equality(name: Token, operator: Token) -> None:
    if operator not in ("=", "!="):
        raise _refuse("explorer/operator", operator, f"`{name}` is no number and takes = or !=", allowed="=, !=")


def _at(token: Token) -> int:
    return (token.start_pos or 0) + 1


def _refuse(code: str, token: Token, why: str, **details: Any) -> QueryFault:
    found, at = str(token), _at(token)
    return QueryFault(f"`{found}` at character {at}: {why}", code, column=at, found=found, **details)


def _refuse_word(code: str, token: Token, known: Sequence[str], why: str, allowed: str) -> QueryFault:
    near = get_close_matches(str(token), known, 1)
    meant = f"; did you mean `{near[0]}`?" if near else ""
    return _refuse(code, token, f"{why}: allowed here is {allowed or 'nothing'}{meant}", allowed=allowed)
