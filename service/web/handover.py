"""What the server and the views tell each other about a request: keys in its WSGI environ, under names of ours."""

HOLDS = "plyscribe.holds"
"""From the server: it handles HOLD and needs no thread for it."""

HOLD = "plyscribe.hold"
"""From a view: the follower that provides the rest of the answer or, if it waits for news, says when to ask again."""

WAITED = "plyscribe.waited"
"""From the server: this is the second call for a request that waited for news."""

PAUSE = "plyscribe.pause"
"""From a view: the answer is sent after so many seconds. A server that is not ours sends it at once."""

LATE = "plyscribe.late"
"""From the server: the body did not arrive within this many seconds."""

CROWDED = "plyscribe.crowded"
"""From the server: the body is large and was not read, because too many large bodies are being read."""

MAX_LARGE = 4
"""Large bodies that one process holds at the same time."""
