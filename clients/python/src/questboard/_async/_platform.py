"""The differences between the asynchronous and the synchronous client."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Protocol, TypeVar, Union

Argument = TypeVar("Argument")
Result = TypeVar("Result")

AccessToken = Union[str, Callable[[], Union[str, Awaitable[str]]]]
"""A server token, or a function that returns one; the function may be asynchronous."""

Listener = Callable[[Argument], Union[Awaitable[None], None]]
"""A function that is awaited if it is asynchronous."""

AsyncLock = asyncio.Lock


class AsyncClock(Protocol):
    """The client's source of time; tests can replace it."""

    def now(self) -> float:
        """Seconds since 1970."""

    async def sleep(self, seconds: float) -> None: ...


class AsyncSystemClock:
    def now(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def current_token(token: AccessToken | None) -> str | None:
    value = token() if callable(token) else token
    if value is None or isinstance(value, str):
        return value
    return await value


async def finish(work: Coroutine[None, None, Result]) -> Result:
    """Waits for work that goes on if the caller is cancelled."""
    return await asyncio.shield(asyncio.ensure_future(work))


async def call(function: Listener[Argument], argument: Argument) -> None:
    done = function(argument)
    if done is not None:
        await done
