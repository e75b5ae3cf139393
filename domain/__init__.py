"""The rules of the games and of a recorded match: pure functions on immutable values, standard library only."""
