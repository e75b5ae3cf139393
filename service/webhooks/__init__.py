"""Webhooks: which addresses may be reached, how messages are signed and posted, and what happens when that fails."""
