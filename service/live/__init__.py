"""News as it happens: followers of streams, the reader that feeds them, and the players' inboxes."""
