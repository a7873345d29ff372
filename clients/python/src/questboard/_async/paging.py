from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from ..errors import invalid_response
from ..models import PagePlace
from .connection import AsyncConnection


class Placed(Protocol):
    """A page with its position in the list."""

    @property
    def page_info(self) -> PagePlace: ...


Item = TypeVar("Item")
Page = TypeVar("Page", bound=Placed)


@dataclass
class ReadSoFar(Generic[Page]):
    """The progress of reading a list."""

    page: Page | None = None
    items: int = 0


class AsyncPagedList(Generic[Item, Page]):
    """
    A list that is read page by page on demand: iterate over it, or over its `pages()`. `PageSettings` define the wait
    between pages.
    """

    def __init__(
        self,
        connection: AsyncConnection,
        read_page: Callable[[str | None, ReadSoFar[Page]], Awaitable[Page]],
        items_of: Callable[[Page], Sequence[Item]],
        *,
        after: str | None,
        max_pages: int | None,
    ) -> None:
        self._connection = connection
        self._read_page = read_page
        self._items_of = items_of
        self._after = after
        self._max_pages = max_pages

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in self._items_of(page):
                yield item

    async def pages(self) -> AsyncIterator[Page]:
        """The pages, with `page_info` and, if the list has one, `total_count`."""
        clock, settings = self._connection.clock, self._connection.pages
        so_far: ReadSoFar[Page] = ReadSoFar()
        cursor = self._after
        count = 1
        while True:
            page = await self._read_page(cursor, so_far)
            answered_at = clock.now()
            yield page
            if not page.page_info.has_next_page or (self._max_pages is not None and count >= self._max_pages):
                return
            following = page.page_info.end_cursor
            # A server that repeats a page would cause an endless loop.
            if not following or following == cursor:
                raise invalid_response("The list has more pages, but no cursor for the next one")
            cursor = following
            so_far.page = page
            so_far.items += len(self._items_of(page))
            count += 1
            # The time that the caller used counts as part of the wait.
            spread = settings.maximum_wait - settings.minimum_wait
            wait = settings.minimum_wait + self._connection.random() * spread
            await clock.sleep(max(answered_at + wait - clock.now(), 0))
