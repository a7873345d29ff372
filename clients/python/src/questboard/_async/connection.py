from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any

from .._answers import Answer, read_data
from .._cache import Cache
from .._retry import wait_before
from ..errors import QuestboardError
from ..options import CacheTimes, PageSettings, RetrySettings
from ._platform import AccessToken, AsyncClock, current_token
from .exchange import AsyncExchange, Body


class AsyncConnection:
    """Sends requests with retries and caching."""

    def __init__(
        self,
        *,
        url: str,
        access_token: AccessToken | None,
        headers: Mapping[str, str],
        exchange: AsyncExchange,
        cache: CacheTimes,
        cache_entries: int,
        pages: PageSettings,
        retry: RetrySettings,
        clock: AsyncClock,
        random: Callable[[], float],
    ) -> None:
        self.cache = cache
        self.pages = pages
        self.clock = clock
        self.random = random
        self._url = url
        self._access_token = access_token
        self._headers = headers
        self._exchange = exchange
        self._answers = Cache(cache_entries)
        self.retry = retry

    async def ask(
        self,
        document: str,
        variables: Mapping[str, Any] | None,
        lifetime: float,
        fresh: bool,
        operation_name: str | None = None,
    ) -> Mapping[str, Any]:
        """Sends a document, or returns a cached response that is younger than `lifetime`."""
        token = await current_token(self._access_token)
        question = {"query": document, "variables": variables, "operationName": operation_name}
        body = json.dumps({name: value for name, value in question.items() if value is not None})
        key = json.dumps([token, body])
        if lifetime > 0 and not fresh:
            cached: Mapping[str, Any] | None = self._answers.get(key, self.clock.now())
            if cached is not None:
                return cached

        async def attempt() -> Mapping[str, Any]:
            named = {} if token is None else {"access-token": token}
            return read_data(await self._post(named, body.encode()))

        asked_at = self.clock.now()
        answer: Mapping[str, Any] = await with_retries(attempt, self.retry, self.clock, self.random)
        if lifetime > 0:
            self._answers.keep(key, asked_at + lifetime, answer)
        return answer

    async def _post(self, token: dict[str, str], body: Body) -> Answer:
        fixed = {"content-type": "application/json", "accept": "application/json"}
        return await self._exchange.send("POST", self._url, {**self._headers, **fixed, **token}, body)

    async def stream(self, path: str, last_id: str | None, silence: float) -> AsyncGenerator[bytes, None]:
        """The bytes of a stream of events next to `/query`, over one connection."""
        token = await current_token(self._access_token)
        headers = {
            **self._headers,
            "accept": "text/event-stream",
            **({} if token is None else {"access-token": token}),
            **({} if last_id is None else {"last-event-id": last_id}),
        }
        url = self._url.removesuffix("query") + path
        async with aclosing(self._exchange.stream(url, headers, silence)) as chunks:
            async for chunk in chunks:
                yield chunk


async def with_retries(
    attempt: Callable[[], Awaitable[Any]],
    settings: RetrySettings,
    clock: AsyncClock,
    random: Callable[[], float],
) -> Any:
    """Retries quota errors and unavailability with exponential backoff and jitter."""
    retry = 1
    while True:
        try:
            return await attempt()
        except QuestboardError as error:
            wait = wait_before(retry, error, settings, random())
            if wait is None:
                raise
        await clock.sleep(wait)
        retry += 1
