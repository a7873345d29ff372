from __future__ import annotations

import json
import random as _random
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping
from types import TracebackType
from typing import Any
from urllib.parse import quote, urlencode

import httpx

from .._answers import Answer, parsed
from .._ids import id_text
from .._ingest_answers import (
    BatchResult,
    Refresh,
    ReplacedList,
    bodies_of,
    read_json,
    read_results,
)
from ..ingest_items import (
    Award,
    Completion,
    CredentialItem,
    HolderItem,
    LinkItem,
    ParticipantItem,
    PointsItem,
    QuestItem,
    Referral,
    Reversal,
    SampleItem,
    SpaceItem,
    SprintItem,
    StarboardItem,
    UserItem,
)
from ..options import RetrySettings, absolute_url
from ._platform import AccessToken, AsyncClock, AsyncSystemClock, current_token
from .connection import with_retries
from .exchange import AsyncExchange, Body

UPLOAD_CHUNK = 64 * 1024


class AsyncIngestClient:
    """
    Writes points, quests, holders and samples with an ingest token (`qbi_…`). All methods raise QuestboardError.

    Batches can have any length: the client sends at most 5,000 items in a request. Requests are idempotent, so after a
    NetworkError you can call the method again with the same items.
    """

    def __init__(
        self,
        base_url: str,
        *,
        access_token: AccessToken,
        headers: Mapping[str, str] | None = None,
        timeout: float = 30,
        retry: RetrySettings | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: AsyncClock | None = None,
        random: Callable[[], float] = _random.random,
    ) -> None:
        self._url = f"{absolute_url(base_url)}/ingest/v1"
        self._access_token = access_token
        self._headers = headers or {}
        self._exchange = AsyncExchange(timeout, transport)
        self._retry = retry or RetrySettings()
        self._clock = clock or AsyncSystemClock()
        self._random = random

    async def awards(self, awards: Iterable[Award]) -> BatchResult:
        """Awards points. An award counts once per `key`, so you can send it again."""
        return await self._batch("awards", awards)

    async def reversals(self, reversals: Iterable[Reversal]) -> BatchResult:
        """Takes awards back, by the `key` of the award or the id of the `entry`."""
        return await self._batch("awards/reversals", reversals)

    async def completions(self, quest_id: str, completions: Iterable[Completion]) -> BatchResult:
        """Completes a quest for addresses: checks its rules and awards its points."""
        return await self._batch(f"quests/{quote(quest_id, safe='')}/completions", completions)

    async def referrals(self, referrals: Iterable[Referral]) -> BatchResult:
        """Records who referred members of spaces."""
        return await self._batch("referrals", referrals)

    async def spaces(self, items: Iterable[SpaceItem]) -> BatchResult:
        """Creates or changes spaces."""
        return await self._batch("spaces", items)

    async def sprints(self, items: Iterable[SprintItem]) -> BatchResult:
        """Creates or changes sprints of spaces."""
        return await self._batch("sprints", items)

    async def points(self, items: Iterable[PointsItem]) -> BatchResult:
        """Sets total points of members; to add points, send awards."""
        return await self._batch("points", items)

    async def quests(self, items: Iterable[QuestItem]) -> BatchResult:
        """Creates or changes quests, with their credential groups."""
        return await self._batch("quests", items)

    async def participants(self, items: Iterable[ParticipantItem]) -> BatchResult:
        """Adds participants to quests."""
        return await self._batch("participants", items)

    async def starboards(self, items: Iterable[StarboardItem]) -> BatchResult:
        """Creates or changes starboards."""
        return await self._batch("starboards", items)

    async def users(self, items: Iterable[UserItem]) -> BatchResult:
        """Creates or changes the tracked users of starboards."""
        return await self._batch("users", items)

    async def samples(self, items: Iterable[SampleItem]) -> BatchResult:
        """Adds score samples, which the service ranks within a few seconds."""
        return await self._batch("samples", items)

    async def links(self, items: Iterable[LinkItem]) -> BatchResult:
        """Links EVM addresses with handles."""
        return await self._batch("links", items)

    async def credentials(self, items: Iterable[CredentialItem]) -> BatchResult:
        """Creates or changes credentials."""
        return await self._batch("credentials", items)

    async def holders(self, items: Iterable[HolderItem]) -> BatchResult:
        """Adds holders to credentials."""
        return await self._batch("holders", items)

    async def remove_holders(self, items: Iterable[HolderItem]) -> BatchResult:
        """Removes holders from credentials."""
        return await self._batch("holders/remove", items)

    async def replace_holders(self, credential_id: str | int, holders: Iterable[str]) -> ReplacedList:
        """
        Replaces the whole holder list of a credential, which can have any length: the client sends the holders as it
        reads them. If a holder is invalid, the old list stays, and `problems` of the error has the first hundred. A
        list is sent again after a quota error; an iterator is not.
        """
        if isinstance(holders, str):
            raise TypeError("holders must be a list of holders, not one text")
        query = urlencode({"credentialId": id_text(credential_id)})

        async def lines() -> AsyncIterator[bytes]:
            chunk = bytearray()
            for holder in holders:
                chunk += json.dumps({"address": holder}).encode() + b"\n"
                if len(chunk) >= UPLOAD_CHUNK:
                    yield bytes(chunk)
                    chunk.clear()
            yield bytes(chunk)

        async def attempt() -> Any:
            headers = {"content-type": "application/x-ndjson"}
            return await self._send("POST", f"holders/replace?{query}", headers, lines(), endless=True)

        can_repeat = isinstance(holders, Collection)
        body = await (self._with_retries(attempt) if can_repeat else attempt())
        return parsed(lambda data: ReplacedList(data["credentialId"], data["itemCount"], data["read"]), body)

    async def refresh_starboard(self, starboard_id: str | int) -> Refresh:
        """Ranks new samples of a starboard now."""
        path = f"starboards/{quote(id_text(starboard_id), safe='')}/refresh"
        body = await self.request("POST", path)
        return parsed(
            lambda data: Refresh(
                data["starboardId"], data["published"], data["version"], data["userCount"]
            ),
            body,
        )

    async def request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """
        Calls any other route of the ingest API that returns JSON, such as `request("GET", "spaces/40/ledger?first=10")`.
        """

        async def attempt() -> Any:
            if body is None:
                return await self._send(method, path, {}, None)
            headers = {"content-type": "application/json"}
            return await self._send(method, path, headers, json.dumps(body).encode())

        answer: dict[str, Any] = await self._with_retries(attempt)
        return answer

    async def _batch(self, path: str, items: Iterable[Mapping[str, Any]]) -> BatchResult:
        result = BatchResult()
        for body in bodies_of(items):
            offset = len(result.results)

            async def attempt(body: bytes = body) -> Any:
                return await self._send("POST", path, {"content-type": "application/x-ndjson"}, body)

            answer = await self._with_retries(attempt)
            result.results.extend(parsed(lambda data: read_results(data, offset), answer))
        return result

    async def _send(
        self, method: str, path: str, headers: dict[str, str], body: Body, *, endless: bool = False
    ) -> Any:
        token = await current_token(self._access_token)
        fixed = {"accept": "application/json", "authorization": f"Bearer {token}"}
        url = f"{self._url}/{path}"
        answer: Answer = await self._exchange.send(
            method, url, {**self._headers, **fixed, **headers}, body, endless=endless
        )
        return read_json(answer)

    async def _with_retries(self, attempt: Callable[[], Awaitable[Any]]) -> Any:
        return await with_retries(attempt, self._retry, self._clock, self._random)

    async def aclose(self) -> None:
        """Closes the connections. A `with` statement does it, too."""
        await self._exchange.aclose()

    async def __aenter__(self) -> AsyncIngestClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()
