"""For people who study play: every ruleset in games by the thousand, played on this machine.

    plyscribe.envs.selfplay.play_random("zhen", games=10_000)
    plyscribe.envs.selfplay.play_bots("rings", 100, ["mcts:200", "greedy"])

docs/fast-play.md describes games, seeds and workers. The modules, each importing only those above it:

    playing.py            one game after the other, in this process
    selfplay_worker.py    the process that plays for another one
    selfplay.py           the same games in many processes, in order
"""
