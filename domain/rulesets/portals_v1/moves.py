"""A move as numbers, and the words of its notation."""

Move = tuple[int, int, int]
"""Kind of action, number of the field that it names (else 0), and the way: the arrows of a new element, the directions
from a portal to the exits that get demons where the seat chooses them, else 0."""

KINDS = PORTAL, PLATFORM, LAUNCH, ENTER, EXIT = range(5)
WORDS = ("portal", "platform", "launch", "enter", "exit")
BARE = (ENTER, EXIT)
"""The kinds that name no field."""
