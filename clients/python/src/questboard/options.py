"""The options of the clients. All times are in seconds."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class CacheTimes:
    """
    Cache lifetimes by kind; 0 disables the cache. The defaults are the shortest times that services
    recommend to clients.
    """

    starboard: float = 300
    """Starboards and their leaderboards."""
    influence: float = 60
    """Metrics of one user of a starboard."""
    space: float = 30
    """Spaces and their leaderboards."""
    eligibility: float = 300
    """Credentials and eligibility."""
    quest: float = 60
    """Quests."""


NO_CACHE = CacheTimes(starboard=0, influence=0, space=0, eligibility=0, quest=0)


@dataclass(frozen=True)
class PageSettings:
    minimum_wait: float = 0.2
    """The minimum wait between two pages."""
    maximum_wait: float = 0.5
    """The maximum wait between two pages; the client chooses a random time between both."""
    search_pages: int = 100
    """The maximum pages of a search for a member."""


@dataclass(frozen=True)
class RetrySettings:
    retries: int = 4
    """The number of retries after a quota error or while the service is unavailable."""
    first_wait: float = 1
    """The wait before the first retry; doubles for each retry, minus up to half at random."""
    maximum_wait: float = 60
    """The maximum wait. A longer `Retry-After` fails at once."""


def absolute_url(base_url: str) -> str:
    """The URL without trailing slashes. Raises ValueError if it is not an http or https URL."""
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(
            f"base_url must be an http or https URL, such as https://api.example.com; it is {base_url}"
        )
    return base_url.rstrip("/")
