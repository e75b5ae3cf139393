#!/usr/bin/env python3
"""A second telling of Pathagon for `plyscribe referee`, in plain Python and slow on purpose.

    plyscribe referee pathagon --against "python3 examples/pathagon_simulator.py"

It knows nothing of Plyscribe: it reads a line of JSON for each position, and writes one (docs/referee.md).
"""

import json
import sys


class Match:
    """A board as a dictionary from squares (column, row) to seats, and what the rules need beside it."""

    def __init__(self, options, seats):
        self.size, self.pieces, self.limit = options["size"], options["pieces"], options["ply_limit"]
        self.board, self.ply, self.over, self.left = {}, 0, None, []
        self.closed = []  # squares that the seat on turn lost pieces on
        self.resting = {1: None, 2: None}  # where each seat moved a piece in its last turn

    @property
    def seat(self):
        return self.ply % 2 + 1

    def reserve(self, seat):
        return self.pieces - list(self.board.values()).count(seat)

    def squares(self):
        return [(column, row) for column in range(self.size) for row in range(self.size)]

    def legal(self):
        if self.over:
            return []
        empty = [name(each) for each in self.squares() if each not in self.board and each not in self.closed]
        if self.reserve(self.seat):
            return empty
        own = [each for each, seat in self.board.items() if seat == self.seat and each != self.resting[self.seat]]
        return [f"{name(source)}-{target}" for source in own for target in empty]

    def move(self, text):
        seat, other = self.seat, 3 - self.seat
        source, target = ([None] + [parse(each) for each in text.split("-")])[-2:]
        if source:
            del self.board[source]
        self.board[target] = seat
        self.resting[seat] = target if source else None
        self.closed = []
        for step in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            prey, partner = go(target, step), go(target, step, 2)
            if self.board.get(prey) == other and self.board.get(partner) == seat:
                self.closed.append(prey)
        for prey in self.closed:
            del self.board[prey]
        if self.resting[other] in self.closed:
            self.resting[other] = None
        self.ply += 1
        if self.has_path(seat):
            self.end("path", [1 if each == seat else 2 for each in (1, 2)])
        elif self.ply == self.limit:
            self.end("ply-limit", [1, 1])

    def has_path(self, seat):
        """Whether pieces of the seat join its two edges: rows for seat 1, columns for seat 2."""
        along = 2 - seat
        reached, waiting = set(), [each for each, own in self.board.items() if own == seat and each[along] == 0]
        while waiting:
            square = waiting.pop()
            if square[along] == self.size - 1:
                return True
            if square not in reached:
                reached.add(square)
                beside = [go(square, step) for step in ((0, 1), (0, -1), (1, 0), (-1, 0))]
                waiting += [each for each in beside if self.board.get(each) == seat]
        return False

    def withdraw(self, seat):
        self.left.append(seat)
        self.end("withdrawal", [2 if each == seat else 1 for each in (1, 2)])

    def end(self, reason, ranks):
        self.over = {"reason": reason, "ranks": ranks}
        self.closed, self.resting = [], {1: None, 2: None}

    def view(self):
        rows = range(self.size - 1, -1, -1)
        board = ["".join(str(self.board.get((column, row), ".")) for column in range(self.size)) for row in rows]
        return {
            "ruleset": "pathagon",
            "ply": self.ply,
            "left": self.left,
            "board": board,
            "reserve": [self.reserve(1), self.reserve(2)],
            "closed": [name(each) for each in sorted(self.closed)],
            "resting": self.resting[self.seat] and name(self.resting[self.seat]),
            "resting_other": self.resting[3 - self.seat] and name(self.resting[3 - self.seat]),
        }

    def turn(self):
        return {"over": self.over} if self.over else {"decision": self.seat}


def go(square, step, times=1):
    return square[0] + times * step[0], square[1] + times * step[1]


def name(square):
    return f"{'abcdefghi'[square[0]]}{square[1] + 1}"


def parse(text):
    return "abcdefghi".index(text[0]), int(text[1:]) - 1


def main():
    match = None
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["ask"] == "start":
            match = Match(asked["options"], asked["seats"])
        elif "move" in asked["do"]:
            match.move(asked["do"]["move"])
        else:
            match.withdraw(asked["do"]["withdraw"])
        answer = {"id": asked["id"], "turn": match.turn(), "view": match.view()}
        if asked["legal"]:
            answer["legal"] = match.legal()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
