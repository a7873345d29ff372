from __future__ import annotations

from typing import Any

import httpx

from questboard import AsyncClient

from ..world import world


class AsyncWaitingClock:
    """A clock that only waiting advances."""

    def __init__(self) -> None:
        self.time = 1_800_000_000.0
        self.waits: list[float] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds


def client_of(**options: Any) -> AsyncClient:
    given: dict[str, Any] = {"access_token": world().tokens["business"], "clock": AsyncWaitingClock(), **options}
    return AsyncClient(given.pop("base_url", world().url), **given)


class Foreign:
    """A server with prepared responses, then data. It records the requests."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []
        self.transport = httpx.MockTransport(self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        space = {"id": "40", "name": "Forty", "description": None}
        answer = self.answers.pop(0) if self.answers else httpx.Response(200, json={"data": {"space": space}})
        if isinstance(answer, Exception):
            raise answer
        return answer
