"""Who is asking and what they may read: accounts, tokens, invitations."""
