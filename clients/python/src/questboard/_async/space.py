from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from typing import Any

from .. import _documents as documents
from .._answers import found, found_object, parsed
from .._ids import batches_of, same_address, whole_number
from .._live import LiveBoard, live_path
from .._rank_search import RankSearch
from ..errors import QuestboardError, invalid_response
from ..models import (
    AddressLoyaltyPoints,
    BoardPage,
    ChangesPage,
    LiveMember,
    LoyaltyPointsChange,
    LoyaltyPointsHistoryEntry,
    LoyaltyPointsPage,
    LoyaltyPointsRank,
    PageAround,
    PointsHistoryPage,
    SpaceInfo,
    Sprint,
)
from .connection import AsyncConnection
from .live import follow_board
from .paging import AsyncPagedList, ReadSoFar

NOT_FOUND = "Space not found"
NO_MEMBER = "Member not found"


class AsyncSpaceReader:
    """Reads one space. All methods raise NotFoundError if it does not exist."""

    def __init__(self, connection: AsyncConnection, id: str | int) -> None:
        self._connection = connection
        self.id = whole_number("the space id", id)

    async def info(self, *, fresh: bool = False) -> SpaceInfo:
        """Name and description."""
        return parsed(SpaceInfo.from_json, await self._ask(documents.SPACE, {}, fresh))

    async def loyalty_points_ranks(
        self,
        *,
        sprint_id: int | None = None,
        cursor_after: str | None = None,
        cursor_before: str | None = None,
        fresh: bool = False,
    ) -> LoyaltyPointsPage:
        """
        One page of the loyalty points board: the first page, the page after `cursor_after`, or the page before
        `cursor_before`. Without `sprint_id`, the overall board.
        """
        if cursor_after is not None and cursor_before is not None:
            raise ValueError("cursor_after and cursor_before exclude each other: use one of them")
        variables: dict[str, Any] = {"sprintId": sprint_id}
        if cursor_before is None:
            variables["cursorAfter"] = cursor_after
            space = await self._ask(documents.SPACE_RANKS, variables, fresh)
        else:
            variables["cursorBefore"] = cursor_before
            space = await self._ask(documents.SPACE_RANKS_BEFORE, variables, fresh)
        return parsed(LoyaltyPointsPage.from_json, found(space.get("loyaltyPointsRanks"), NOT_FOUND))

    def members(
        self,
        *,
        sprint_id: int | None = None,
        after: str | None = None,
        max_pages: int | None = None,
        fresh: bool = False,
    ) -> AsyncPagedList[LoyaltyPointsRank, LoyaltyPointsPage]:
        """The whole board, most points first."""

        async def read_page(cursor: str | None, _: ReadSoFar[LoyaltyPointsPage]) -> LoyaltyPointsPage:
            return await self.loyalty_points_ranks(sprint_id=sprint_id, cursor_after=cursor, fresh=fresh)

        def items_of(page: LoyaltyPointsPage) -> list[LoyaltyPointsRank]:
            return page.list

        return AsyncPagedList(self._connection, read_page, items_of, after=after, max_pages=max_pages)

    async def find_rank(
        self,
        address: str,
        *,
        sprint_id: int | None = None,
        max_pages: int | None = None,
        fresh: bool = False,
    ) -> RankSearch:
        """
        Finds the rank of an address on any server: reads pages until it finds the address, at most `max_pages`
        (`PageSettings.search_pages`). On Questboard, `rank_of` needs one request.
        """
        limit = self._connection.pages.search_pages if max_pages is None else max_pages
        pages_read = 0
        complete = False
        async for page in self.members(sprint_id=sprint_id, max_pages=limit, fresh=fresh).pages():
            pages_read += 1
            complete = not page.page_info.has_next_page
            for member in page.list:
                if member.address is not None and same_address(member.address.address, address):
                    return RankSearch(member, complete, pages_read)
        return RankSearch(None, complete, pages_read)

    async def rank_of(
        self, address: str, *, sprint_id: int | None = None, fresh: bool = False
    ) -> AddressLoyaltyPoints | None:
        """The points and the exact rank of a member; None if the address is not on the board."""
        return (await self.ranks_of([address], sprint_id=sprint_id, fresh=fresh))[address]

    async def ranks_of(
        self, addresses: Iterable[str], *, sprint_id: int | None = None, fresh: bool = False
    ) -> dict[str, AddressLoyaltyPoints | None]:
        """
        The same for many addresses, 100 per request; the ranks of one request are of the same moment. The keys are the
        given addresses.
        """
        ranks: dict[str, AddressLoyaltyPoints | None] = {}
        for batch in batches_of(addresses):
            variables = {"sprintId": sprint_id, "addresses": batch}
            space = await self._ask(documents.MEMBER_RANKS, variables, fresh)
            members = parsed(_ranks, found(space.get("addressesLoyaltyPoints"), NOT_FOUND))
            if len(members) != len(batch):
                raise invalid_response(f"The response has {len(members)} members for {len(batch)} addresses")
            ranks.update(zip(batch, members, strict=True))
        return ranks

    async def page_around(
        self, address: str, *, sprint_id: int | None = None, first: int = 50, fresh: bool = False
    ) -> PageAround | None:
        """The page of the board with a member in the middle; None if the address is not on the board."""
        variables = {"sprintId": sprint_id, "around": address, "first": first}
        try:
            space = await self._ask(documents.RANKS_AROUND, variables, fresh)
        except QuestboardError as error:
            if error.message == NO_MEMBER:
                return None
            raise
        page = space.get("loyaltyPointsRanks")
        return None if page is None else parsed(PageAround.from_json, page)

    def board(
        self,
        *,
        sprint_id: int | None = None,
        after: str | None = None,
        max_pages: int | None = None,
        fresh: bool = False,
    ) -> AsyncPagedList[LoyaltyPointsRank, BoardPage]:
        """The whole board, 1,000 members per page, for a copy that `changes` keeps current. It is not cached."""

        async def read_page(cursor: str | None, _: ReadSoFar[BoardPage]) -> BoardPage:
            variables = {"sprintId": sprint_id, "cursorAfter": cursor}
            space = await self._ask(documents.BOARD, variables, fresh, lifetime=0)
            return parsed(BoardPage.from_json, found(space.get("loyaltyPointsRanks"), NOT_FOUND))

        def items_of(page: BoardPage) -> list[LoyaltyPointsRank]:
            return page.list

        return AsyncPagedList(self._connection, read_page, items_of, after=after, max_pages=max_pages)

    def changes(
        self,
        since_version: str,
        *,
        sprint_id: int | None = None,
        after: str | None = None,
        max_pages: int | None = None,
        fresh: bool = False,
    ) -> AsyncPagedList[LoyaltyPointsChange, ChangesPage]:
        """
        The members that changed after a version. After all pages, a copy of the board has the version of the last page.
        Raises VersionExpiredError if the version was replaced over 30 minutes ago: read the board again.
        """

        async def read_page(cursor: str | None, _: ReadSoFar[ChangesPage]) -> ChangesPage:
            variables = {"sprintId": sprint_id, "cursorAfter": cursor, "sinceVersion": since_version}
            space = await self._ask(documents.CHANGES, variables, fresh, lifetime=0)
            return parsed(ChangesPage.from_json, found(space.get("changes"), NOT_FOUND))

        def items_of(page: ChangesPage) -> list[LoyaltyPointsChange]:
            return page.list

        return AsyncPagedList(self._connection, read_page, items_of, after=after, max_pages=max_pages)

    def live(
        self, *, first: int | None = None, member: str | None = None, sprint_id: int | None = None
    ) -> AsyncGenerator[LiveBoard[LoyaltyPointsRank, LiveMember], None]:
        """
        The first places (10, or none with `member`) or the place of a member: first as they are, then after each
        change, until you stop.
        """
        path = live_path(f"spaces/{self.id}", {"first": first, "member": member, "sprintId": sprint_id})
        return follow_board(self._connection, path, LoyaltyPointsRank.from_json, LiveMember.from_json)

    async def sprints(self, *, fresh: bool = False) -> list[Sprint]:
        """The sprints of the space, highest ID first."""
        space = await self._ask(documents.SPRINTS, {}, fresh)
        sprints = found(space.get("sprints"), NOT_FOUND)
        return parsed(lambda data: [Sprint.from_json(each) for each in data], sprints)

    def points_history(
        self,
        address: str,
        *,
        sprint_id: int | None = None,
        after: str | None = None,
        max_pages: int | None = None,
        fresh: bool = False,
    ) -> AsyncPagedList[LoyaltyPointsHistoryEntry, PointsHistoryPage]:
        """The changes of a member's points, newest first."""

        async def read_page(cursor: str | None, _: ReadSoFar[PointsHistoryPage]) -> PointsHistoryPage:
            variables = {"sprintId": sprint_id, "cursorAfter": cursor, "address": address}
            space = await self._ask(documents.HISTORY, variables, fresh)
            page = found(space.get("addressLoyaltyPointsHistory"), NOT_FOUND)
            return parsed(PointsHistoryPage.from_json, page)

        def items_of(page: PointsHistoryPage) -> list[LoyaltyPointsHistoryEntry]:
            return page.list

        return AsyncPagedList(self._connection, read_page, items_of, after=after, max_pages=max_pages)

    async def _ask(
        self, document: str, variables: dict[str, Any], fresh: bool, *, lifetime: float | None = None
    ) -> Any:
        usual = self._connection.cache.space if lifetime is None else lifetime
        data = await self._connection.ask(document, {"spaceId": self.id, **variables}, usual, fresh)
        return found_object(data.get("space"), NOT_FOUND)


def _ranks(members: list[Any]) -> list[AddressLoyaltyPoints | None]:
    return [None if member is None else AddressLoyaltyPoints.from_json(member) for member in members]
