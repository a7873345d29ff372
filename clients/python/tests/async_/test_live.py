from __future__ import annotations

import json
from contextlib import aclosing
from secrets import randbelow
from uuid import uuid4

import httpx
import pytest

import questboard as qb
from questboard import AsyncIngestClient, RetrySettings

from ..world import address, world
from .support import AsyncWaitingClock, Foreign, client_of


async def award(space_id: int, member: str, points: int) -> None:
    async with AsyncIngestClient(world().url, access_token=world().ingest_token) as ingest:
        result = await ingest.awards(
            [{"key": uuid4().hex, "spaceId": space_id, "address": member, "points": points}]
        )
    assert result.summary["applied"] == 1


async def new_space() -> int:
    """A space with three members: the first has most points."""
    space_id = 1_000_000 + randbelow(1_000_000_000)
    async with AsyncIngestClient(world().url, access_token=world().ingest_token) as ingest:
        await ingest.spaces([{"spaceId": space_id, "name": "Live"}])
    for n in (1, 2, 3):
        await award(space_id, address(n), 100 - n)
    return space_id


async def test_follows_the_first_places_and_a_member() -> None:
    space_id = await new_space()
    async with client_of() as questboard:
        async with aclosing(questboard.space(space_id).live(first=2, member=address(3))) as boards:
            before = await anext(boards)
            assert [place.points for place in before.list] == [99, 98]
            assert (sorted(before.changed), before.total_count) == ([1, 2], 3)
            assert before.member is not None and before.member.rank == 3
            await award(space_id, address(3), 50)
            after = await anext(boards)
            assert [place.points for place in after.list] == [147, 99]
            assert after.member is not None and (after.member.rank, after.member.total_count) == (1, 3)
            assert int(after.version) > int(before.version)


async def test_follows_one_member_and_a_starboard() -> None:
    space_id = await new_space()
    async with client_of() as questboard:
        async with aclosing(questboard.space(space_id).live(member=address(2))) as boards:
            board = await anext(boards)
            assert (board.list, board.total_count, board.changed) == ([], None, {})
            assert board.member is not None and board.member.points == 98
        async with aclosing(questboard.starboard(world().starboard).live(first=1)) as ranking:
            first = (await anext(ranking)).list[0]
            assert (first.x_user_profile.username, first.rank.value) == ("user1", "1")


async def test_a_stream_that_is_refused() -> None:
    async with client_of() as questboard:
        with pytest.raises(qb.NotFoundError, match="Space not found"):
            await anext(questboard.space(41).live())
        with pytest.raises(qb.InvalidArgumentError):
            await anext(questboard.space(40).live(first=101))
    async with client_of(access_token=world().tokens["revoked"]) as questboard:
        with pytest.raises(qb.AuthenticationError):
            await anext(questboard.space(40).live())


def stream(*events: tuple[str, str, object], retry: int | None = None) -> httpx.Response:
    lines = [f"id: {id}\nevent: {name}\ndata: {json.dumps(data)}\n\n" for id, name, data in events]
    text = ("" if retry is None else f"retry: {retry}\n\n") + "".join(lines)
    return httpx.Response(200, text=text, headers={"content-type": "text/event-stream"})


def place(position: int, points: int) -> dict[str, object]:
    return {"position": position, "rank": position, "points": points, "address": None}


async def test_connects_again_with_the_id_of_the_last_event() -> None:
    whole = {"version": "5", "totalCount": 2, "list": [place(1, 9), place(2, 8)]}
    fewer = {"version": "7", "totalCount": 1, "size": 1, "changed": [place(1, 10)]}
    foreign = Foreign(
        stream(("5", "board", whole), retry=1500),
        httpx.ConnectError("away"),
        httpx.Response(502, text="<html>"),
        stream(("6", "unknown", {}), ("7", "changes", fewer)),
        httpx.Response(401, json={"errors": [{"message": "no", "extensions": {"code": "INVALID_TOKEN"}}]}),
    )
    clock = AsyncWaitingClock()
    retry = RetrySettings(retries=0)
    async with client_of(transport=foreign.transport, clock=clock, random=lambda: 1.0, retry=retry) as questboard:
        boards = questboard.space(40).live()
        assert [each.points for each in (await anext(boards)).list] == [9, 8]
        board = await anext(boards)
        assert ([each.points for each in board.list], board.total_count, list(board.changed)) == ([10], 1, [1])
        with pytest.raises(qb.AuthenticationError):
            await anext(boards)
    assert [request.headers.get("last-event-id") for request in foreign.requests] == [None, "5", "5", "5", "7"]
    assert clock.waits == [1.5, 1, 2, 1.5]


async def test_before_the_first_event_it_retries_like_other_methods() -> None:
    foreign = Foreign(*(httpx.ConnectError("away") for _ in range(3)))
    async with client_of(transport=foreign.transport, retry=RetrySettings(retries=2)) as questboard:
        with pytest.raises(qb.NetworkError):
            await anext(questboard.space(40).live())
    assert len(foreign.requests) == 3


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, json={"data": {}}),
        stream(("1", "board", "text")),
        stream(("1", "board", {"version": "1", "list": [{"points": 1}]})),
        httpx.Response(200, text="event: board\ndata: {\n\n", headers={"content-type": "text/event-stream"}),
    ],
)
async def test_a_stream_that_is_not_of_the_api(answer: httpx.Response) -> None:
    async with client_of(transport=Foreign(answer).transport) as questboard:
        with pytest.raises(qb.InvalidResponseError):
            await anext(questboard.space(40).live())


async def test_keeps_a_copy_of_a_board_current() -> None:
    space_id = await new_space()
    copy: dict[str, int] = {}
    async with client_of() as questboard:
        space = questboard.space(space_id)
        async for page in space.board().pages():
            version = page.version
            for member in page.list:
                assert member.address is not None
                copy[member.address.address] = member.points
        assert copy == {address(n): 100 - n for n in (1, 2, 3)}
        await award(space_id, address(2), 1)
        async for changes in space.changes(version).pages():
            version = changes.version
            for change in changes.list:
                assert change.address is not None and change.points is not None
                copy[change.address.address] = change.points
        assert copy[address(2)] == 99
        assert [change async for change in space.changes(version)] == []
        with pytest.raises(qb.VersionExpiredError):
            async for _ in space.changes("999999999"):
                pass
