from __future__ import annotations

from uuid import uuid4

import httpx
import pytest

import questboard as qb
from questboard import AsyncIngestClient
from questboard.ingest_items import Award

from ..world import address, world
from .support import AsyncWaitingClock, client_of

SPACE = 900


def ingest() -> AsyncIngestClient:
    return AsyncIngestClient(world().url, access_token=world().ingest_token)


def award(key: str, points: int, member: str) -> Award:
    return {"key": key, "spaceId": SPACE, "address": member, "points": points}


async def test_an_award_counts_once_by_its_key_and_can_be_reversed() -> None:
    key, member = uuid4().hex, f"member-{uuid4().hex}"
    async with ingest() as writer, client_of(cache=False) as questboard:
        await writer.spaces([{"spaceId": SPACE, "name": "Nine hundred"}])
        assert (await writer.awards([award(key, 25, member)])).summary["applied"] == 1
        again = await writer.awards([award(key, 25, member)])
        assert [result.status for result in again.results] == ["duplicate"]
        rank = await questboard.space(SPACE).rank_of(member)
        assert rank is not None and rank.points == 25
        reversed = await writer.reversals([{"spaceId": SPACE, "key": key, "reason": "cancelled"}])
        assert reversed.results[0].entry is not None
        rank = await questboard.space(SPACE).rank_of(member)
        assert rank is not None and rank.points == 0
        await writer.request("GET", f"spaces/{SPACE}/ledger?first=1")


async def test_a_refused_item_does_not_stop_the_others() -> None:
    member = f"member-{uuid4().hex}"
    async with ingest() as writer:
        await writer.spaces([{"spaceId": SPACE, "name": "Nine hundred"}])
        result = await writer.awards([award(uuid4().hex, 2**31, member), award(uuid4().hex, 1, member)])
    assert [each.status for each in result.results] == ["refused", "applied"]
    (refused,) = result.refused
    assert refused.error is not None
    assert (refused.error.code, refused.error.field) == ("INVALID_ARGUMENT", "points")
    assert refused.error.allowed is not None


async def test_long_batches_are_sent_in_several_requests() -> None:
    member, run = f"member-{uuid4().hex}", uuid4().hex
    async with ingest() as writer, client_of(cache=False) as questboard:
        await writer.spaces([{"spaceId": SPACE, "name": "Nine hundred"}])
        result = await writer.awards(award(f"{run}-{n}", 1, member) for n in range(5_001))
        assert result.summary["applied"] == 5_001
        assert [each.index for each in result.results] == list(range(5_001))
        rank = await questboard.space(SPACE).rank_of(member)
        assert rank is not None and rank.points == 5_001
        assert (await writer.awards([])).results == []


async def test_objects_of_every_kind() -> None:
    run = uuid4().int % 1_000_000
    space, credential, quest, board = 1_000_000 + run, str(7_000_000 + run), f"GC{run}", f"board-{run}"
    member = address(run)
    async with ingest() as writer:
        results = [
            await writer.spaces([{"spaceId": space, "name": "Garden"}]),
            await writer.sprints([{"spaceId": space, "sprintId": 1, "name": "Spring"}]),
            await writer.points([{"spaceId": space, "address": member, "points": 5}]),
            await writer.credentials(
                [{"id": credential, "name": "Pass", "credType": "EVM_ADDRESS", "credSource": "CSV"}]
            ),
            await writer.holders([{"credentialId": credential, "address": member}]),
            await writer.quests([{"id": quest, "spaceId": space, "name": "Plant", "type": "Points"}]),
            await writer.completions(quest, [{"key": "one", "address": member}]),
            await writer.starboards([{"id": board, "name": "Gardeners", "type": "TWITTER"}]),
            await writer.users([{"starboardId": board, "username": "rose"}]),
            await writer.links([{"starboardId": board, "evmAddress": member, "handle": "rose"}]),
            await writer.samples(
                [{"starboardId": board, "handle": "rose", "sampledAt": "2026-11-21T11:00:00Z", "score": 7}]
            ),
            await writer.referrals([{"spaceId": space, "address": address(run + 1), "referrer": member}]),
            await writer.participants([{"questId": quest, "address": address(run + 2)}]),
            await writer.remove_holders([{"credentialId": credential, "address": member}]),
        ]
        failed = [error for result in results for error in result.refused]
        assert failed == []
        assert [each.summary["applied"] for each in results] == [1] * len(results)
        assert (await writer.refresh_starboard(board)).user_count == 1
        completion = results[6].results[0].completion
        assert completion is not None and completion.address == member


async def test_a_holder_list_is_replaced_as_a_whole() -> None:
    credential = str(8_000_000 + uuid4().int % 1_000_000)
    async with ingest() as writer, client_of(cache=False) as questboard:
        await writer.credentials(
            [{"id": credential, "name": "Pass", "credType": "EVM_ADDRESS", "credSource": "CSV"}]
        )
        replaced = await writer.replace_holders(credential, (address(n) for n in range(3_000)))
        assert (replaced.credential_id, replaced.item_count, replaced.read) == (credential, 3_000, 3_000)
        assert await questboard.credential(credential).eligible(address(2_999))
        with pytest.raises(qb.InvalidArgumentError) as failure:
            await writer.replace_holders(credential, [address(1), "not an address"])
        assert len(failure.value.problems) == 1
        assert (await questboard.credential(credential).info()).item_count == 3_000


async def test_requests_that_the_service_refuses() -> None:
    async with AsyncIngestClient(world().url, access_token="qbi_wrong") as stranger:
        with pytest.raises(qb.AuthenticationError) as failure:
            await stranger.awards([award("a", 1, "b")])
    assert (failure.value.code, failure.value.http_status) == ("INVALID_TOKEN", 401)
    assert failure.value.request_id is not None
    async with ingest() as writer:
        with pytest.raises(qb.NotFoundError):
            await writer.completions("GCnone", [{"key": "a", "address": "b"}])
        with pytest.raises(qb.ConflictError):
            await writer.request("DELETE", f"credentials/{world().credential}?confirm={world().credential}")
        with pytest.raises(qb.InvalidArgumentError) as invalid:
            await writer.request("GET", "spaces?first=0")
        assert invalid.value.field == "first"


async def test_a_full_queue_is_retried_with_the_same_items() -> None:
    bodies: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        bodies.append(request.read())
        if len(bodies) == 1:
            error = {"code": "UNAVAILABLE", "message": "full", "request_id": "1"}
            return httpx.Response(503, json={"error": error}, headers={"retry-after": "2"})
        return httpx.Response(200, json={"summary": {}, "results": [{"index": 0, "status": "applied"}]})

    clock = AsyncWaitingClock()
    async with AsyncIngestClient(
        world().url,
        access_token="qbi_any",
        transport=httpx.MockTransport(answer),
        clock=clock,
        random=lambda: 0,
    ) as writer:
        result = await writer.awards([award("k", 1, "m")])
    assert result.summary["applied"] == 1
    assert bodies[0] == bodies[1]
    assert clock.waits == [2]
