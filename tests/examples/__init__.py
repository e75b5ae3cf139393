"""The programs in examples/."""
