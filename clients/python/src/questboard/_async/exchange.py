from __future__ import annotations

import time
from collections.abc import AsyncIterable
from typing import Union

import httpx

from .._answers import Answer
from ..errors import NetworkError, RequestTimeoutError

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
        except httpx.TimeoutException as cause:
            message = f"{url} did not respond within {self._timeout} s"
            raise RequestTimeoutError(message, code="TIMEOUT", category="CLIENT") from cause
        except (httpx.HTTPError, httpx.InvalidURL) as cause:
            message = f"{url} could not be reached"
            raise NetworkError(message, code="NETWORK_ERROR", category="CLIENT") from cause

    async def aclose(self) -> None:
        await self._http.aclose()
