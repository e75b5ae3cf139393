"""Who sends a request and what they may read: accounts, tokens, invitations."""
