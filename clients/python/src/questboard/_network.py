"""The failures of httpx and of the interpreter that a request can have."""

from __future__ import annotations

import httpx

from .errors import NetworkError, RequestTimeoutError

# UnicodeError: a header or host that cannot be encoded.
FAULTS = (httpx.HTTPError, httpx.InvalidURL, UnicodeError)


def network_error(url: str, timeout: float, cause: Exception) -> NetworkError:
    if isinstance(cause, httpx.TimeoutException):
        message = f"{url} did not respond within {timeout:g} s"
        return RequestTimeoutError(message, code="TIMEOUT", category="CLIENT")
    reason = f": {cause}" if isinstance(cause, UnicodeError) else ""
    return NetworkError(f"{url} could not be reached{reason}", code="NETWORK_ERROR", category="CLIENT")
