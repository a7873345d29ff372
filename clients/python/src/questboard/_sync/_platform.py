"""The differences between the asynchronous and the synchronous client."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol, TypeVar, Union

Argument = TypeVar("Argument")
Result = TypeVar("Result")

AccessToken = Union[str, Callable[[], str]]
"""A server token, or a function that returns one."""

Listener = Callable[[Argument], None]

Lock = threading.Lock


class Clock(Protocol):
    """The client's source of time; tests can replace it."""

    def now(self) -> float:
        """Seconds since 1970."""

    def sleep(self, seconds: float) -> None: ...


class SystemClock:
    def now(self) -> float:
        return time.time()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


def current_token(token: AccessToken | None) -> str | None:
    return token() if callable(token) else token


def finish(result: Result) -> Result:
    return result


def call(function: Listener[Argument], argument: Argument) -> None:
    function(argument)
