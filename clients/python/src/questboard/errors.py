"""The errors of the client: one class for each kind of failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class QuestboardError(Exception):
    """A failed request. The attributes contain the first error of the response."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        category: str,
        http_status: int | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        errors: Sequence[Mapping[str, Any]] = (),
        data: Any = None,
    ) -> None:
        super().__init__(message)
        first: Mapping[str, Any] = errors[0] if errors else {}
        extensions: Mapping[str, Any] = first.get("extensions") or {}
        self.message = message
        self.code = code
        """A code of the service, or `NETWORK_ERROR`, `TIMEOUT` or `INVALID_RESPONSE`."""
        self.category = category
        """The category of the code; `CLIENT` for codes of this client."""
        self.http_status = http_status
        """The HTTP status; None without a response."""
        self.request_id = request_id
        """The id of the request in the service's log."""
        self.retry_after = retry_after
        """The wait that the service requires before a retry, in seconds."""
        self.timestamp: str | None = extensions.get("timestamp")
        """The time of the error by the service: ISO 8601."""
        self.details: list[str] = list(extensions.get("details") or [])
        """Further details as `name: value`."""
        self.context: Mapping[str, Any] | None = extensions.get("context")
        self.path: Sequence[str | int] | None = first.get("path")
        """The path of the field that failed, if any."""
        self.field: str | None = None
        """The field of the request that is wrong, if the ingest API names one."""
        self.problems: list[Any] = []
        """The invalid lines of a holder list."""
        self.errors = list(errors)
        """All errors of the response."""
        self.data = data
        """The data of the fields that did not fail."""


class AuthenticationError(QuestboardError):
    """The token is missing, unknown, revoked or expired (401)."""


class PermissionDeniedError(QuestboardError):
    """The token does not allow the area, the space, the field or the object (403)."""


class RateLimitError(QuestboardError):
    """A quota is used up (429). `retry_after` has the wait in seconds."""


class NotFoundError(QuestboardError):
    """No object has this ID (404)."""


class VersionExpiredError(NotFoundError):
    """The version of a board is no longer kept (410). Read the board again."""


class InvalidArgumentError(QuestboardError):
    """The service refuses the request: an invalid document, variable, argument or item (400)."""


class CostError(InvalidArgumentError):
    """The document is too large or nested too deeply. Request less."""


class ConflictError(QuestboardError):
    """The request contradicts the stored data (409)."""


class InternalError(QuestboardError):
    """A defect of the service (500). Report it with `request_id`."""


class UnavailableError(QuestboardError):
    """The service is overloaded, or its database or a source is unreachable (503)."""


class NetworkError(QuestboardError):
    """The service could not be reached, or the connection broke."""


class RequestTimeoutError(NetworkError):
    """The service did not respond in time."""


class InvalidResponseError(QuestboardError):
    """The response violates the API, for example a page of a proxy."""


BY_CODE: dict[str, type[QuestboardError]] = {
    "COMPLEXITY_LIMIT_EXCEEDED": CostError,
    "DEPTH_LIMIT_EXCEEDED": CostError,
    "QUOTA_EXCEEDED": RateLimitError,
    "TOKEN_REQUIRED": AuthenticationError,
    "INVALID_TOKEN": AuthenticationError,
    "PERMISSION_DENIED": PermissionDeniedError,
    "NOT_FOUND": NotFoundError,
    "VERSION_EXPIRED": VersionExpiredError,
    "CONFLICT": ConflictError,
    "UNAVAILABLE": UnavailableError,
    "INTERNAL_ERROR": InternalError,
    "INVALID_RESPONSE": InvalidResponseError,
}

BY_CATEGORY: dict[str, type[QuestboardError]] = {
    "AUTHENTICATION": AuthenticationError,
    "AUTHORIZATION": PermissionDeniedError,
    "RATE_LIMIT": RateLimitError,
    "NOT_FOUND": NotFoundError,
    "VALIDATION": InvalidArgumentError,
    "CONFLICT": ConflictError,
    "INTERNAL": InternalError,
    "UNAVAILABLE": UnavailableError,
}


def error_of(message: str, *, code: str, category: str, **facts: Any) -> QuestboardError:
    """The error of the class that belongs to the code, else to the category."""
    kind = BY_CODE.get(code) or BY_CATEGORY.get(category) or QuestboardError
    return kind(message, code=code, category=category, **facts)


def not_found(message: str) -> NotFoundError:
    """The object does not exist, and the service returned null without an error."""
    return NotFoundError(message, code="NOT_FOUND", category="NOT_FOUND", http_status=404)


def invalid_response(message: str, **facts: Any) -> InvalidResponseError:
    """The response violates the API."""
    return InvalidResponseError(message, code="INVALID_RESPONSE", category="CLIENT", **facts)


class OAuthError(Exception):
    """A failed sign-in, or a failed request with a user's access token."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        http_status: int | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        """An `error` of the service, or a code of this client such as `state_mismatch`."""
        self.http_status = http_status
        """None without a response, and for errors of the callback."""
        self.request_id = request_id
        """The id of the request in the service's log, if known."""


class AccessDeniedError(OAuthError):
    """The user refused (`access_denied`)."""


class InvalidCallbackError(OAuthError):
    """The callback is not of this sign-in: `state_mismatch`, `issuer_mismatch` or `missing_code`."""


class InvalidGrantError(OAuthError):
    """The code or the refresh token is not valid: the user must sign in again (`invalid_grant`)."""


class InvalidClientError(OAuthError):
    """The app is unknown or not approved, or its secret is wrong (`invalid_client`)."""


class InvalidAccessTokenError(OAuthError):
    """The access token is unknown, expired or revoked (`invalid_token`)."""


class InsufficientScopeError(OAuthError):
    """The user did not grant the scope (`insufficient_scope`)."""


class InvalidIdTokenError(OAuthError):
    """The ID token is not valid for this app and this sign-in (`invalid_id_token`)."""


class InvalidLogoutTokenError(OAuthError):
    """The logout token is not valid for this app: respond with 400 (`invalid_logout_token`)."""


class OAuthNetworkError(OAuthError):
    """The service could not be reached: `network_error` or `timeout`."""


OAUTH_BY_CODE: dict[str, type[OAuthError]] = {
    "access_denied": AccessDeniedError,
    "state_mismatch": InvalidCallbackError,
    "issuer_mismatch": InvalidCallbackError,
    "missing_code": InvalidCallbackError,
    "invalid_grant": InvalidGrantError,
    "invalid_client": InvalidClientError,
    "invalid_token": InvalidAccessTokenError,
    "insufficient_scope": InsufficientScopeError,
    "invalid_id_token": InvalidIdTokenError,
    "invalid_logout_token": InvalidLogoutTokenError,
    "network_error": OAuthNetworkError,
    "timeout": OAuthNetworkError,
}


def oauth_error(code: str, message: str, **facts: Any) -> OAuthError:
    return OAUTH_BY_CODE.get(code, OAuthError)(code, message, **facts)


class WebhookVerificationError(Exception):
    """The delivery is not signed with the secret, or is too old."""
