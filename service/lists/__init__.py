"""Lists that can be dropped and rebuilt: of matches, players and tournaments, page by page."""
