from __future__ import annotations

from dataclasses import dataclass

from .models import LoyaltyPointsRank


@dataclass(frozen=True)
class RankSearch:
    """
    The result of a search for a member. Not found and `complete`: the whole board was read. Not found and not
    `complete`: the search stopped at its page limit.
    """

    member: LoyaltyPointsRank | None
    complete: bool
    pages_read: int

    @property
    def found(self) -> bool:
        return self.member is not None
