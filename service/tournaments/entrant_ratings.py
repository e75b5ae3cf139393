"""The ratings of a tournament's entrants, from its own games alone."""

from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.ratings.model import Model, Rating, open_ratings


def rate_entrants(state: Tournament) -> dict[int, Rating]:
    """The rating of each entrant after all games that were played and count, in the order of rounds, boards and games.

    Every entrant begins as a newcomer. The ratings do not depend on the order in which results came in.
    """
    model = Model(open_ratings(state.terms.ruleset))
    ratings = {each.number: model.newcomer for each in state.entrants}
    for game in state.games():
        if game.ranks is not None and game.was_played:
            after = model.rate([ratings[entrant] for entrant in game.entrants], game.ranks)
            ratings.update(zip(game.entrants, after, strict=True))
    return ratings
