"""What can be done with matches beyond a single command: queries, imports, records, forks, rematches."""
