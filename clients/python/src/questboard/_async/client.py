from __future__ import annotations

import random as _random
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

import httpx

from .. import _documents as documents
from .._answers import found, parsed
from ..models import LoyaltyPointsPage, QuestInfo, QuestOrder, QuestPage, QuestStatus, QuestType
from ..options import NO_CACHE, CacheTimes, PageSettings, RetrySettings, absolute_url
from ._platform import AccessToken, AsyncClock, AsyncSystemClock
from .connection import AsyncConnection
from .credential import AsyncCredentialReader
from .exchange import AsyncExchange
from .paging import AsyncPagedList
from .quest import PAGE_SIZE, AsyncQuestReader, AsyncQuests
from .space import NOT_FOUND, AsyncSpaceReader
from .starboard import AsyncStarboardReader


class AsyncClient:
    """
    A client of a Questboard service. All methods raise QuestboardError.

    - `base_url`: the URL of the service; queries go to `{base_url}/query`
    - `access_token`: a server token, or a function that returns one
    - `headers`: additional headers for all requests
    - `timeout`: the timeout of a request in seconds
    - `cache`: cache lifetimes, or False to disable the cache
    - `cache_entries`: the maximum number of cached responses
    - `transport`, `clock`, `random`: for tests
    """

    def __init__(
        self,
        base_url: str,
        *,
        access_token: AccessToken | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 30,
        cache: CacheTimes | bool = True,
        cache_entries: int = 1000,
        pages: PageSettings | None = None,
        retry: RetrySettings | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: AsyncClock | None = None,
        random: Callable[[], float] = _random.random,
    ) -> None:
        lifetimes = cache if isinstance(cache, CacheTimes) else CacheTimes() if cache else NO_CACHE
        self._exchange = AsyncExchange(timeout, transport)
        self._connection = AsyncConnection(
            url=f"{absolute_url(base_url)}/query",
            access_token=access_token,
            headers=headers or {},
            exchange=self._exchange,
            cache=lifetimes,
            cache_entries=cache_entries,
            pages=pages or PageSettings(),
            retry=retry or RetrySettings(),
            clock=clock or AsyncSystemClock(),
            random=random,
        )

    def starboard(self, id: str | int) -> AsyncStarboardReader:
        return AsyncStarboardReader(self._connection, id)

    def space(self, id: str | int) -> AsyncSpaceReader:
        return AsyncSpaceReader(self._connection, id)

    def credential(self, id: str | int) -> AsyncCredentialReader:
        return AsyncCredentialReader(self._connection, id)

    def quest(self, id: str | int) -> AsyncQuestReader:
        return AsyncQuestReader(self._connection, id)

    def quests(
        self,
        *,
        space_id: str | int | None = None,
        statuses: Sequence[QuestStatus] | None = None,
        types: Sequence[QuestType] | None = None,
        order: QuestOrder | None = None,
        first: int = PAGE_SIZE,
        after: str | None = None,
        max_pages: int | None = None,
        fresh: bool = False,
    ) -> AsyncPagedList[QuestInfo, QuestPage]:
        """All quests that match the filter; `first` is the page size. Without `order`, newest first."""
        quests = AsyncQuests(
            self._connection,
            space_id=space_id,
            statuses=statuses,
            types=types,
            order=order,
            fresh=fresh,
        )
        return quests.list(first, after, max_pages)

    async def quest_page(
        self,
        *,
        space_id: str | int | None = None,
        statuses: Sequence[QuestStatus] | None = None,
        types: Sequence[QuestType] | None = None,
        order: QuestOrder | None = None,
        first: int = PAGE_SIZE,
        after: str | None = None,
        fresh: bool = False,
    ) -> QuestPage:
        """One page of quests; `after` is `page_info.end_cursor` of the previous page."""
        quests = AsyncQuests(
            self._connection,
            space_id=space_id,
            statuses=statuses,
            types=types,
            order=order,
            fresh=fresh,
        )
        return await quests.page(first, after)

    async def space_loyalty_points_ranks(
        self,
        space_id: int,
        *,
        sprint_id: int | None = None,
        cursor_after: str | None = None,
        fresh: bool = False,
    ) -> LoyaltyPointsPage:
        """One page of a space's loyalty points board, by the root field."""
        variables = {"spaceId": space_id, "sprintId": sprint_id, "cursorAfter": cursor_after}
        lifetime = self._connection.cache.space
        data = await self._connection.ask(documents.RANKS, variables, lifetime, fresh)
        page = found(data.get("spaceLoyaltyPointsRanks"), NOT_FOUND)
        return parsed(LoyaltyPointsPage.from_json, page)

    async def query(
        self,
        document: str,
        variables: Mapping[str, Any] | None = None,
        *,
        operation_name: str | None = None,
        cache_seconds: float = 0,
        fresh: bool = False,
    ) -> Mapping[str, Any]:
        """Sends any document and returns its data."""
        return await self._connection.ask(document, variables, cache_seconds, fresh, operation_name)

    async def aclose(self) -> None:
        """Closes the connections. A `with` statement does it, too."""
        await self._exchange.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()
