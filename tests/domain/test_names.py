"""Names of accounts: what they can be, when two are the same, and whose they are."""

import pytest

from plyscribe.domain.chain import first_link, link_all
from plyscribe.domain.claims import NAME, AssignName, ClaimName, Name, NameClaimed, is_older, name_stream
from plyscribe.domain.codec import format_event
from plyscribe.domain.commands import Actor, Command
from plyscribe.domain.errors import WrongTime, WrongValue
from plyscribe.domain.names import MAX_NAME_LENGTH, fold_name, is_reserved, require_label, require_name

ANN, BEN = "player-" + "a" * 26, "player-" + "b" * 26
WHO = Actor("system", "sign-up")

WORLD = ("Ada", "Zoë Ünal", "李小龙", "Sam 李", "Вера", "می\u200cخواهم", "👩\u200d🚀", "❤\ufe0f")
MIXED = ("Аda", "Ann Λ", "аnn")
"""Names with letters of two scripts."""

HIDDEN = (
    *("A\u200bda", "A\u202eda", "A\u2066da", "A\u00adda", "\ufeffAda", "Ann\u00a0Lee"),
    *("A\u200dda", "Ada\u200d", "\u3164", "A\u034fda", "A\ufe0fda", "\u2800"),
)
"""Names with characters that one does not see, or does not see as what they are."""

ZALGO = "A" + "\u0301" * 6
LARGE = (
    ZALGO,
    "A" + "\u20dd" * 5,
    "李" * 33,
    "\ufdfd" * 11,
    "\u2e3b" * 11,
    "\U00012031" * 11,
    "\ufdfa" * 4,
)
"""Names that would cover the lines around them, or be twice as wide as the longest in Latin letters."""

OFFICIAL = ("greedy", "MCTS", "random", "Admin", "ADMlN", "Administrator", "Plyscribe", "system", "nobody yet")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("Ann", "aNN"), ("Straße", "STRASSE"), ("Ａｎｎ", "Ann"), ("𝐀𝐧𝐧", "Ann"), ("Ann  Lee", "Ann Lee")),
        *(("Iris", "lris"), ("Ann1", "Annl"), ("B0b", "Bob"), ("Вера", "Bepa"), ("ВЕРА", "вера"), ("ΝΙΚΗ", "NIKH")),
        *(("ΝΙΚΗ", "νικη"), ("Zoe\u0308", "Zoë"), ("O’Brien", "O'Brien"), ("❤\ufe0f", "❤")),
        ("می\u200cخواهم", "میخواهم"),
    ],
)
def test_names_that_cannot_be_told_apart_are_the_same(one, other):
    assert fold_name(one) == fold_name(other)
    assert name_stream(one) == name_stream(other)


@pytest.mark.parametrize(("one", "other"), [("Ann", "Anna"), ("Zoë", "Zoe"), ("Ann Lee", "AnnLee"), ("李", "里")])
def test_names_that_differ_visibly_are_different(one, other):
    assert fold_name(one) != fold_name(other)
    assert name_stream(one) != name_stream(other)


def test_the_stream_of_a_name_stays_the_same_for_ever_also_folded():
    assert name_stream("Ann") == "name-3st3vabbqki5qdc3bhqn4t4zch"
    for name in ("Ann Lee", "Вера", "ΝΙΚΗ", "Straße", "Ｉｒｉｓ", "İstanbul"):
        assert fold_name(fold_name(name)) == fold_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *WORLD,
        "O'Brien",
        "Vie\u0302\u0323t Ha\u0306\u0301",
        "שָׁל֫וֹם",
        "李" * 32,
        "R2-D2",
        "x" * MAX_NAME_LENGTH,
        "Random Joe",
        "Player One",
        "Matchmaker",
    ],
)
def test_names_of_all_the_world_are_fine(name):
    require_name(name)


@pytest.mark.parametrize(
    "name", [*HIDDEN, *MIXED, *LARGE, "", " Ada", "Ada ", "x" * (MAX_NAME_LENGTH + 1), "A\nda", "\0", "\ud800"]
)
def test_a_name_that_hides_something_is_refused(name):
    with pytest.raises(WrongValue) as refusal:
        require_name(name)
    assert refusal.value.code == "player/name"


@pytest.mark.parametrize(
    "name", [*OFFICIAL, "player-1", "match-" + "a" * 26, "ply_abc", "plys_abc", "Tournament-x", "greedy (built-in bot)"]
)
def test_names_that_stand_for_the_service_are_for_its_operator(name):
    with pytest.raises(WrongValue) as refusal:
        require_name(name)
    assert refusal.value.code == "player/name-reserved"
    require_name(name, official=True)


# ------------------------------------------------------------------------------------------------------------ claims


class Claims:
    """The stream of one name."""

    def __init__(self) -> None:
        self.name = Name(name_stream("Ann"))

    def when(self, command: type[Command], at: int, **fields: object) -> list[object]:
        events = NAME.decide(command(actor=WHO, at=at, id=f"{at:032x}", **fields), self.name).events
        start = self.name.head or first_link(self.name.stream)
        self.name = NAME.fold(self.name, link_all(start, self.name.version + 1, map(format_event, events)))
        return [event.data for event in events]


@pytest.fixture
def claims() -> Claims:
    return Claims()


def test_the_first_claim_counts_and_an_account_is_not_older_than_itself(claims):
    assert claims.when(ClaimName, 5, player=ANN) == [NameClaimed(ANN, 5)]
    with pytest.raises(WrongTime, match="has this name"):
        claims.when(ClaimName, 6, player=BEN)
    assert claims.name.player == ANN
    assert not is_older(AssignName(actor=WHO, player=ANN, since=4), claims.name)


def test_of_older_accounts_of_the_same_name_the_oldest_has_it(claims):
    claims.when(AssignName, 50, player=BEN, since=20)
    assert claims.when(AssignName, 50, player=ANN, since=10) == [NameClaimed(ANN, 10)]
    with pytest.raises(WrongTime):
        claims.when(AssignName, 51, player=BEN, since=20)
    assert (claims.name.player, claims.name.since) == (ANN, 10)


# ---------------------------------------------------------------------------------------------------------- imitation


@pytest.mark.parametrize(
    "name",
    [
        *("greedy bot", "GreedyBot", "the greedy bot", "bot mcts", "mcts 400", "mcts-400", "Greedy 2", "gre edy"),
        *("grееdу", "Built in", "builtin Joe", "built-in", "Plyscribe team", "Admin2", "adm1n", "the admins"),
        *("Seat 2", "seat 10", "Platz 3", "You", "du", "nobody 2", "noch niemand", "the tournament"),
    ],
)
def test_names_that_read_as_a_bot_the_service_or_a_seat_are_reserved(name):
    assert is_reserved(fold_name(name))


@pytest.mark.parametrize(
    "name",
    [
        *("Greedy Gustav", "Random Joe", "Random House", "Ada bot", "Bot Ann", "Botvinnik", "My bot", "Ai"),
        *("Seat Leon", "Platzhirsch", "Madmin", "Operator Ann", "Me Too", "You Li", "Nobody Owens", "Ann 2"),
    ],
)
def test_names_that_only_have_such_a_word_are_fine(name):
    require_name(name)


@pytest.mark.parametrize("label", ["greedy", "mcts 500", "Plyscribe"])
def test_the_label_of_an_account_cannot_read_as_a_bot(label):
    with pytest.raises(WrongValue) as refusal:
        require_label(label)
    assert refusal.value.code == "player/name-reserved"
    require_label("one move ahead")
    require_label(None)
