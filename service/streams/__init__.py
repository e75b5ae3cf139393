"""How a command becomes stored events: the handler's five steps, and ids of commands and streams."""
