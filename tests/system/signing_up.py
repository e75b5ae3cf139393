"""A process that signs up under names which look alike, round by round, and prints who it got: `round account`."""

import sys

from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import WrongTime
from plyscribe.service.composition import compose_process

ALIKE = ("Bernd {}", "BERND {}", "Bemd {}", "Ｂemd {}")


def main(number: int, rounds: int) -> None:
    accounts = compose_process().accounts
    for each in range(rounds):
        name = ALIKE[(number + each) % len(ALIKE)].format(number_in_letters(each))
        try:
            player, _ = accounts.sign_up(Actor("system", "sign-up"), name, "person", ("play",))
        except WrongTime:
            continue
        print(each, player.stream, flush=True)


def number_in_letters(number: int) -> str:
    """A word for each number; no two of them look alike."""
    return "".join("abcdefghjk"[int(digit)] for digit in str(number))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
