"""The deployment kit: its files agree with each other, with the code and with the documentation."""
