from __future__ import annotations

from .errors import NetworkError, QuestboardError
from .options import RetrySettings


# Longer waits are those of `maximum_wait` anyway.
MAX_DOUBLINGS = 30


def wait_before(
    retry: int,
    error: QuestboardError,
    settings: RetrySettings,
    draw: float,
    *,
    lost_connections: bool = False,
) -> float | None:
    """
    The seconds before the n-th retry; None if there are no more retries. Only quota errors and unavailability are
    retried, never earlier than `Retry-After`. With `lost_connections`, also a service that cannot be reached.
    """
    passing = error.code == "QUOTA_EXCEEDED" or error.http_status in (429, 503)
    if lost_connections:
        passing = passing or isinstance(error, NetworkError) or error.http_status in (500, 502, 504)
    if not passing or retry > settings.retries:
        return None
    required = error.retry_after or 0
    if required > settings.maximum_wait:
        return None
    half = min(settings.first_wait * 2 ** min(retry - 1, MAX_DOUBLINGS), settings.maximum_wait) / 2
    return float(max(half, required) + half * draw)
