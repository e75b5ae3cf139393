"""What people look at: board pictures, and the pages that show matches, players and tournaments."""
