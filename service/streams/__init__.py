"""How a command becomes stored events: the handler's five steps, and the ids of streams."""
