"""For people who study play: rulesets in PettingZoo, OpenSpiel and Gymnasium, and games by the thousand.

    plyscribe.envs.pettingzoo.env("zhen")                     # needs plyscribe[pettingzoo]
    plyscribe.envs.openspiel.load("rings", seats=3)           # needs plyscribe[openspiel]
    plyscribe.envs.gymnasium.env("zhen", opponents="greedy")  # needs plyscribe[gymnasium]
    plyscribe.envs.selfplay.play_random("zhen", games=10_000)
    plyscribe.envs.selfplay.play_bots("rings", 100, ["mcts:200", "greedy"])

docs/environments.md describes actions, observations, rewards and seeds, docs/fast-play.md games, seeds and workers.
Each module imports only those above it:

    spaces/               what the numbers of actions and observations mean, for each ruleset
    stepping.py           a match in steps: one action or one die each
    pettingzoo.py   gymnasium.py   openspiel.py

    playing.py            one game after the other, in this process
    selfplay_worker.py    the process that plays for another one
    selfplay.py           the same games in many processes, in order
"""
