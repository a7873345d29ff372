"""A client of Questboard services: the page "Python client" of the manual explains it."""

from ._async._platform import AsyncClock
from ._async.client import AsyncClient
from ._async.credential import AsyncCredentialReader
from ._async.ingest import AsyncIngestClient
from ._async.paging import AsyncPagedList
from ._async.quest import AsyncQuestReader
from ._async.session import AsyncUserSession
from ._async.sign_in import AsyncSignIn
from ._async.space import AsyncSpaceReader
from ._async.starboard import AsyncStarboardReader
from ._eligibility import Eligibility
from ._id_token import IdToken, LogoutToken
from ._ingest_answers import BatchResult, ItemError, ItemResult, QuestCompletion, Refresh, ReplacedList
from ._live import LiveBoard
from ._rank_search import RankSearch
from ._sign_in_parts import Attempt, BegunSignIn, SignInEndpoints, TokenDetail, Tokens
from ._sync._platform import Clock
from ._sync.client import Client
from ._sync.credential import CredentialReader
from ._sync.ingest import IngestClient
from ._sync.paging import PagedList
from ._sync.quest import QuestReader
from ._sync.session import UserSession
from ._sync.sign_in import SignIn
from ._sync.space import SpaceReader
from ._sync.starboard import StarboardReader
from .errors import (
    AccessDeniedError,
    AuthenticationError,
    ConflictError,
    CostError,
    InsufficientScopeError,
    InternalError,
    InvalidAccessTokenError,
    InvalidArgumentError,
    InvalidCallbackError,
    InvalidClientError,
    InvalidGrantError,
    InvalidIdTokenError,
    InvalidLogoutTokenError,
    InvalidResponseError,
    NetworkError,
    NotFoundError,
    OAuthError,
    OAuthNetworkError,
    PermissionDeniedError,
    QuestboardError,
    RateLimitError,
    RequestTimeoutError,
    UnavailableError,
    VersionExpiredError,
    WebhookVerificationError,
)
from .options import CacheTimes, PageSettings, RetrySettings
from .rules import (
    Reason,
    Verdict,
    eligibility_reliable,
    group_met,
    quest_accepts_participation,
)
from .webhooks import Webhook, WebhookEvent

__all__ = [
    "AccessDeniedError",
    "AsyncClient",
    "AsyncClock",
    "AsyncCredentialReader",
    "AsyncIngestClient",
    "AsyncPagedList",
    "AsyncQuestReader",
    "AsyncSignIn",
    "AsyncSpaceReader",
    "AsyncStarboardReader",
    "AsyncUserSession",
    "Attempt",
    "AuthenticationError",
    "BatchResult",
    "BegunSignIn",
    "CacheTimes",
    "Client",
    "Clock",
    "ConflictError",
    "CostError",
    "CredentialReader",
    "Eligibility",
    "IdToken",
    "IngestClient",
    "InsufficientScopeError",
    "InternalError",
    "InvalidAccessTokenError",
    "InvalidArgumentError",
    "InvalidCallbackError",
    "InvalidClientError",
    "InvalidGrantError",
    "InvalidIdTokenError",
    "InvalidLogoutTokenError",
    "InvalidResponseError",
    "ItemError",
    "ItemResult",
    "LiveBoard",
    "LogoutToken",
    "NetworkError",
    "NotFoundError",
    "OAuthError",
    "OAuthNetworkError",
    "PageSettings",
    "PagedList",
    "PermissionDeniedError",
    "QuestCompletion",
    "QuestReader",
    "QuestboardError",
    "RankSearch",
    "RateLimitError",
    "Reason",
    "Refresh",
    "ReplacedList",
    "RequestTimeoutError",
    "RetrySettings",
    "SignIn",
    "SignInEndpoints",
    "SpaceReader",
    "StarboardReader",
    "TokenDetail",
    "Tokens",
    "UnavailableError",
    "UserSession",
    "Verdict",
    "VersionExpiredError",
    "Webhook",
    "WebhookEvent",
    "WebhookVerificationError",
    "eligibility_reliable",
    "group_met",
    "quest_accepts_participation",
]
