from hypothesis import settings

# The same examples in every run: a failure seen once is a failure seen by everybody.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None, print_blob=True)
settings.load_profile("repeatable")
