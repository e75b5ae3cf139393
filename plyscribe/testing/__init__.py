"""The proof kit: a pytest plugin that holds rulesets to the contract, and keeps them from changing unnoticed."""
