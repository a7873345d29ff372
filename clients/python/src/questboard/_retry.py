from __future__ import annotations

from .errors import QuestboardError
from .options import RetrySettings


def wait_before(retry: int, error: QuestboardError, settings: RetrySettings, draw: float) -> float | None:
    """
    The seconds before the n-th retry; None if there are no more retries. Only quota errors and unavailability are
    retried, never earlier than `Retry-After`.
    """
    passing = error.code == "QUOTA_EXCEEDED" or error.http_status in (429, 503)
    if not passing or retry > settings.retries:
        return None
    required = error.retry_after or 0
    if required > settings.maximum_wait:
        return None
    half = min(settings.first_wait * 2 ** (retry - 1), settings.maximum_wait) / 2
    return float(max(half, required) + half * draw)
