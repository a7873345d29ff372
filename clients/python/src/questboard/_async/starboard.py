from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any
from urllib.parse import quote

from .. import _documents as documents
from .._answers import found, found_object, parsed
from .._ids import id_text
from .._live import LiveBoard, live_path
from ..errors import QuestboardError
from ..models import (
    LeaderboardPage,
    LiveUser,
    RankedUser,
    StarboardBasicInfo,
    StarboardUserDetail,
    TwitterHandleByEvmAddress,
)
from .connection import AsyncConnection
from .live import follow_board
from .paging import AsyncPagedList, ReadSoFar

NOT_FOUND = "Starboard not found"
UNTRACKED = "Twitter user not found"
PAGE_SIZE = 50


class AsyncStarboardReader:
    """Reads one starboard. All methods raise NotFoundError if it does not exist."""

    def __init__(self, connection: AsyncConnection, id: str | int) -> None:
        self._connection = connection
        self.id = id_text(id)

    async def basic_info(self, *, fresh: bool = False) -> StarboardBasicInfo:
        """The description of the starboard."""
        starboard = await self._ask(documents.STARBOARD, {}, self._connection.cache.starboard, fresh)
        return parsed(lambda data: StarboardBasicInfo.from_json(data["basicInfo"]), starboard)

    async def leaderboard(
        self, *, first: int = PAGE_SIZE, after: str | None = None, fresh: bool = False
    ) -> LeaderboardPage:
        """One page of the ranking. `after` is `page_info.end_cursor` of the previous page."""
        variables = {"first": first, "after": after}
        lifetime = self._connection.cache.starboard
        starboard = await self._ask(documents.STARBOARD_LEADERBOARD, variables, lifetime, fresh)
        return parsed(LeaderboardPage.from_json, found(starboard.get("leaderboard"), NOT_FOUND))

    def users(
        self,
        *,
        first: int = PAGE_SIZE,
        after: str | None = None,
        max_pages: int | None = None,
        fresh: bool = False,
    ) -> AsyncPagedList[RankedUser, LeaderboardPage]:
        """The whole ranking, best first; `first` is the page size."""

        async def read_page(cursor: str | None, _: ReadSoFar[LeaderboardPage]) -> LeaderboardPage:
            return await self.leaderboard(first=first, after=cursor, fresh=fresh)

        def items_of(page: LeaderboardPage) -> list[RankedUser]:
            return [edge.node for edge in page.edges]

        return AsyncPagedList(self._connection, read_page, items_of, after=after, max_pages=max_pages)

    def live(
        self, *, first: int | None = None, member: str | None = None
    ) -> AsyncGenerator[LiveBoard[LiveUser, LiveUser], None]:
        """
        The first places (10, or none with `member`) or the place of a user, by handle: first as they are, then after
        each change, until you stop.
        """
        path = live_path(f"starboards/{quote(self.id, safe='')}", {"first": first, "member": member})
        return follow_board(self._connection, path, LiveUser.from_json, LiveUser.from_json)

    async def user(self, handle: str, *, fresh: bool = False) -> RankedUser | None:
        """One user by handle, or None if the starboard does not track the user."""
        board = await self._tracked(documents.STARBOARD_USER, {"twitterId": handle}, "leaderboard", fresh)
        users: list[RankedUser] = [] if board is None else parsed(users_of, board)
        return users[0] if users else None

    async def twitter_handle_by_evm_address(
        self, evm_address: str, *, fresh: bool = False
    ) -> TwitterHandleByEvmAddress | None:
        """The handle linked to an EVM address, or None."""
        variables = {"evmAddress": evm_address}
        handle = await self._tracked(
            documents.STARBOARD_HANDLE, variables, "twitterHandleByEvmAddress", fresh
        )
        return None if handle is None else parsed(TwitterHandleByEvmAddress.from_json, handle)

    async def user_detail(self, evm_address: str, *, fresh: bool = False) -> StarboardUserDetail | None:
        """The scores of the user linked to an EVM address, or None."""
        variables = {"evmAddress": evm_address}
        detail = await self._tracked(documents.STARBOARD_USER_DETAIL, variables, "userDetail", fresh)
        return None if detail is None else parsed(StarboardUserDetail.from_json, detail)

    async def _ask(self, document: str, variables: dict[str, Any], lifetime: float, fresh: bool) -> Any:
        data = await self._connection.ask(document, {"id": self.id, **variables}, lifetime, fresh)
        return found_object(data.get("starboard"), NOT_FOUND)

    async def _tracked(self, document: str, variables: dict[str, Any], field: str, fresh: bool) -> Any:
        """Services report untracked users by an error, by null, or by both."""
        try:
            starboard = await self._ask(document, variables, self._connection.cache.influence, fresh)
        except QuestboardError as error:
            if error.message == UNTRACKED:
                return None
            raise
        return starboard.get(field)


def users_of(board: Mapping[str, Any]) -> list[RankedUser]:
    return [RankedUser.from_json(edge["node"]) for edge in board["edges"]]
