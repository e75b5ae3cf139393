"""A move as numbers, and the words of its notation."""

Move = tuple[int, int, int]
"""The kind of action, the field that it names (or 0), and its way: the arrows of a new element; the directions from a
portal to the exits that get demons, if the seat chooses them; otherwise 0.
"""

KINDS = PORTAL, PLATFORM, LAUNCH, ENTER, EXIT = range(5)
WORDS = ("portal", "platform", "launch", "enter", "exit")
BARE = (ENTER, EXIT)
"""The kinds without a field."""
