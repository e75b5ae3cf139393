"""Request another verification of a refuted match."""

from flask import Response
from redis.exceptions import RedisError

from plyscribe.domain.errors import WrongTime
from plyscribe.service.queues import Verification, enqueue_verifications, verify_queue
from plyscribe.service.store.port import StoreUnavailable
from plyscribe.service.store.redis import connect_queues
from plyscribe.service.store.redis_errors import translate
from plyscribe.service.web.api.http import answer, idempotency_key, parse_body, parts, principal
from plyscribe.service.web.api.matches.blueprint import blueprint
from plyscribe.service.web.api.matches.reading import confined, confirm_by, read_own_match
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.schemas import answers, bodies


@blueprint.post("/<match>/verification")
@operation("matches", answers.VerificationDue, status=202, body=bodies.Nothing, problems=(403, 404, 409), command=True)
def verify_again(match: str) -> Response:
    """Request another verification of a refuted match.

    Needs the scope `admin`. Call this once the cause of the fault is fixed. A worker executes the match again within
    moments and adds another verdict. Repeated requests have no further effect. If the match has been verified
    meanwhile, or waits for its recorder's confirmation, nothing happens and `due` is false. If no verdict appears, ask
    again.
    """
    who = principal()
    who.require("admin")
    idempotency_key()
    parse_body(bodies.Nothing)
    state = read_own_match(match)
    status = state.lifecycle.status if state.lifecycle else "refuted"
    if status in ("open", "playing", "aborted"):
        raise WrongTime("match/not-ended", f"the match is {status}", match_status=status)
    due = status in ("ended", "refuted") and confirm_by(state) is None
    if due:
        _enqueue(Verification(match, state.version))
    return confined(answer({"match": match, "version": state.version, "status": status, "due": due}, 202), state)


def _enqueue(verification: Verification) -> None:
    url = parts().config.rq_redis_url
    if not url:
        raise StoreUnavailable("there are no job queues, because the store is in memory only")
    try:
        with connect_queues(url) as queues:
            enqueue_verifications(verify_queue(queues), [verification])
    except RedisError as error:
        raise translate(error) from error
