"""News as they happen: followers of streams, the reader that feeds them, and players' inboxes."""
