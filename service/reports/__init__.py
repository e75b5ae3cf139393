"""Reports: work that grows with its subject, done once for all who ask and never in a thread that serves moves."""
