from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterable
from typing import Union

import httpx

from .._answers import Answer, stream_refusal
from .._network import FAULTS, network_error

# Within this time the service stores the longest list.
ENDLESS_READ = 3_600.0
Body = Union[bytes, AsyncIterable[bytes], None]


class AsyncExchange:
    """Sends requests and reads whole responses. Follows no redirects, which would send the token elsewhere."""

    def __init__(self, timeout: float, transport: httpx.AsyncBaseTransport | None) -> None:
        self._timeout = timeout
        self._http = httpx.AsyncClient(timeout=timeout, transport=transport, follow_redirects=False)

    async def send(
        self, method: str, url: str, headers: dict[str, str], body: Body = None, *, endless: bool = False
    ) -> Answer:
        """
        Raises NetworkError or RequestTimeoutError. `endless` is for bodies of any size: each write has a
        timeout, and the service has an hour to store the body.
        """
        timeout = httpx.Timeout(self._timeout, read=ENDLESS_READ if endless else self._timeout)
        deadline = None if endless else time.monotonic() + self._timeout
        try:
            async with self._http.stream(
                method, url, headers=headers, content=body, timeout=timeout
            ) as response:
                chunks = []
                async for chunk in response.aiter_bytes():
                    chunks.append(chunk)
                    if deadline is not None and time.monotonic() > deadline:
                        raise httpx.ReadTimeout("the response is too slow", request=response.request)
                text = b"".join(chunks).decode(errors="replace")
                return Answer(response.status_code, response.headers, text)
        except FAULTS as cause:
            raise network_error(url, self._timeout, cause) from cause

    async def stream(self, url: str, headers: dict[str, str], silence: float) -> AsyncGenerator[bytes, None]:
        """
        The bytes of a stream of events. Raises QuestboardError if it is refused or breaks, or after `silence` seconds
        without bytes.
        """
        timeout = httpx.Timeout(self._timeout, read=silence)
        try:
            async with self._http.stream("GET", url, headers=headers, timeout=timeout) as response:
                is_stream = response.headers.get("content-type", "").startswith("text/event-stream")
                if response.status_code != 200 or not is_stream:
                    body = b"".join([chunk async for chunk in response.aiter_bytes()])
                    text = body.decode(errors="replace")
                    raise stream_refusal(Answer(response.status_code, response.headers, text))
                async for chunk in response.aiter_bytes():
                    yield chunk
        except FAULTS as cause:
            raise network_error(url, silence, cause) from cause

    async def aclose(self) -> None:
        await self._http.aclose()
