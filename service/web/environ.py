"""What the web server and the views tell each other, in the WSGI environment of a request."""

LATE = "plyscribe.late"
"""From the server: the seconds within which the body did not come."""

HOLDS = "plyscribe.holds"
"""From the server: it keeps to HOLD."""

HOLD = "plyscribe.hold"
"""From a view: the follower that gives the rest of the answer or, if it waits for news, tells when to ask again."""

WAITED = "plyscribe.waited"
"""From the server: the request is asked again after its wait."""

CROWDED = "plyscribe.crowded"
"""From the server: the body was left unread, for it is large and others are being read."""
