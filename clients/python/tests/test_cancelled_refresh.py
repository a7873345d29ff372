from __future__ import annotations

import asyncio

import httpx
import pytest

from questboard import AsyncSignIn, Tokens


class SlowService(httpx.AsyncBaseTransport):
    def __init__(self) -> None:
        self.requests = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests += 1
        await asyncio.sleep(0.1)
        return httpx.Response(200, json={"access_token": "qbu_new", "refresh_token": "qbr_new", "expires_in": 3600})


def test_a_refresh_goes_on_if_its_caller_is_cancelled() -> None:
    service = SlowService()

    async def run() -> None:
        stored: list[Tokens] = []
        async with AsyncSignIn(
            "https://quests.example",
            client_id="app",
            redirect_uri="https://app.example/callback",
            transport=service,
        ) as sign_in:
            session = sign_in.session(Tokens("qbu_old", "", expires_at=1, refresh_token="qbr_old"), stored.append)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(session.access_token(), 0.02)
            assert await session.access_token() == "qbu_new"
        assert [each.refresh_token for each in stored] == ["qbr_new"]
        assert service.requests == 1

    asyncio.run(run())
