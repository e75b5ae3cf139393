"""The shapes of all answers, a module for each subject. This module names those that routes answer with."""

from plyscribe.service.web.schemas.answers.imports import ImportOut
from plyscribe.service.web.schemas.answers.inboxes import InboxPage
from plyscribe.service.web.schemas.answers.matches import (
    Composition,
    EffectsPage,
    EventPage,
    InvitationOut,
    LegalMoves,
    MatchOut,
    MatchPage,
    PositionOut,
    Receipt,
    TouchedMoves,
    Verification,
    VerificationDue,
)
from plyscribe.service.web.schemas.answers.players import (
    Me,
    NewPlayerOut,
    NewRecoveryCode,
    PlayerOut,
    PlayerPage,
    PlayerProfile,
    RecoveredAccount,
)
from plyscribe.service.web.schemas.answers.problems import Problem
from plyscribe.service.web.schemas.answers.ratings import AnnulmentOut, RatingHistory, RatingsPage
from plyscribe.service.web.schemas.answers.rulesets import ClauseOut, RulesetDetail, Rulesets
from plyscribe.service.web.schemas.answers.system import Health, Ready
from plyscribe.service.web.schemas.answers.tokens import EndedSessions, NewTokenOut, RevokedToken, Tokens
from plyscribe.service.web.schemas.answers.tournaments import (
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
from plyscribe.service.web.schemas.answers.variations import Suggestion, VariationOut
from plyscribe.service.web.schemas.answers.webhooks import (
    NewWebhookOut,
    RemovedWebhook,
    WebhookOut,
    Webhooks,
    WebhookTest,
)

__all__ = [
    "AnnulmentOut",
    "AnnulmentReport",
    "AttemptsOut",
    "ClauseOut",
    "Composition",
    "EffectsPage",
    "EndedSessions",
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
    "NewRecoveryCode",
    "NewTokenOut",
    "NewWebhookOut",
    "PlayerOut",
    "PlayerPage",
    "PlayerProfile",
    "PositionOut",
    "Problem",
    "RatingHistory",
    "RatingsPage",
    "Ready",
    "Receipt",
    "RecoveredAccount",
    "RemovedWebhook",
    "RevokedToken",
    "RoundCheck",
    "RoundsOut",
    "RulesetDetail",
    "Rulesets",
    "Standings",
    "Suggestion",
    "Tokens",
    "TouchedMoves",
    "TournamentEvents",
    "TournamentOut",
    "TournamentPage",
    "TournamentReceipt",
    "VariationOut",
    "Verification",
    "VerificationDue",
    "WebhookOut",
    "WebhookTest",
    "Webhooks",
]
