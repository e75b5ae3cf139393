"""What answers hold, by subject: here is what routes answer with; what that is made of stands beside it."""

from service.schemas.answers.imports import ImportOut
from service.schemas.answers.inboxes import InboxPage
from service.schemas.answers.matches import (
    Composition,
    EventPage,
    InvitationOut,
    LegalMoves,
    MatchOut,
    MatchPage,
    PositionOut,
    Receipt,
    Verification,
    VerificationDue,
)
from service.schemas.answers.players import Me, NewPlayerOut, PlayerOut, PlayerPage
from service.schemas.answers.problems import Problem
from service.schemas.answers.ratings import AnnulmentOut, RatingHistory, RatingsPage
from service.schemas.answers.rulesets import ClauseOut, RulesetDetail, Rulesets
from service.schemas.answers.system import Health, Ready
from service.schemas.answers.tokens import NewTokenOut, RevokedToken, Tokens
from service.schemas.answers.tournaments import (
    AnnulmentReport,
    AttemptsOut,
    RoundCheck,
    RoundsOut,
    Standings,
    TournamentEvents,
    TournamentOut,
    TournamentPage,
    TournamentReceipt,
)

__all__ = [
    "AnnulmentOut",
    "AnnulmentReport",
    "AttemptsOut",
    "ClauseOut",
    "Composition",
    "EventPage",
    "Health",
    "ImportOut",
    "InboxPage",
    "InvitationOut",
    "LegalMoves",
    "MatchOut",
    "MatchPage",
    "Me",
    "NewPlayerOut",
    "NewTokenOut",
    "PlayerOut",
    "PlayerPage",
    "PositionOut",
    "Problem",
    "RatingHistory",
    "RatingsPage",
    "Ready",
    "Receipt",
    "RevokedToken",
    "RoundCheck",
    "RoundsOut",
    "RulesetDetail",
    "Rulesets",
    "Standings",
    "Tokens",
    "TournamentEvents",
    "TournamentOut",
    "TournamentPage",
    "TournamentReceipt",
    "Verification",
    "VerificationDue",
]
