"""One ordinary account does its worst beside somebody who plays. `make abuse` prints what that costs.

For each attack: the processor time of the API, the relay and the store for each of the bystander's answers, beside the
same without the attack; what the store and the API hold afterwards; how often the attacker was refused.
"""
