"""Environments for people who study play: every ruleset in PettingZoo, OpenSpiel and Gymnasium.

    plyscribe.envs.pettingzoo.env("zhen")                     # needs plyscribe[pettingzoo]
    plyscribe.envs.openspiel.load("rings", seats=3)           # needs plyscribe[openspiel]
    plyscribe.envs.gymnasium.env("zhen", opponents="greedy")  # needs plyscribe[gymnasium]

docs/environments.md describes actions, observations, rewards and seeds. Each module imports only those above it:

    spaces/         what the numbers of actions and observations mean, for each ruleset
    stepping.py     a match in steps: one action or one die each
    pettingzoo.py   gymnasium.py   openspiel.py
"""
