from __future__ import annotations

import httpx
import pytest

import questboard as qb
from questboard import CacheTimes, PageSettings, RetrySettings

from ..world import world
from .support import AsyncWaitingClock, Foreign, client_of


def refusal(status: int = 429, **headers: str) -> httpx.Response:
    return httpx.Response(status, json={}, headers={name.replace("_", "-"): value for name, value in headers.items()})


@pytest.mark.parametrize(
    ("token", "kind", "code"),
    [
        (None, qb.AuthenticationError, "TOKEN_REQUIRED"),
        ("revoked", qb.AuthenticationError, "INVALID_TOKEN"),
        ("expired", qb.AuthenticationError, "INVALID_TOKEN"),
    ],
)
async def test_a_token_that_is_not_valid(
    token: str | None, kind: type[qb.QuestboardError], code: str
) -> None:
    async with client_of(access_token=None if token is None else world().tokens[token]) as questboard:
        with pytest.raises(kind) as failure:
            await questboard.space(40).info()
    assert (failure.value.code, failure.value.category, failure.value.http_status) == (code, "AUTHENTICATION", 401)
    assert failure.value.request_id is not None and len(failure.value.request_id) == 32


async def test_an_area_that_the_token_may_not_read() -> None:
    async with client_of(access_token=lambda: world().tokens["spacesOnly"]) as questboard:
        assert (await questboard.space(40).info()).name == "Forty"
        with pytest.raises(qb.PermissionDeniedError) as failure:
            await questboard.starboard(world().starboard).basic_info()
    assert (failure.value.code, failure.value.http_status) == ("PERMISSION_DENIED", 403)


async def test_objects_and_arguments_that_do_not_exist() -> None:
    async with client_of() as questboard:
        with pytest.raises(qb.NotFoundError, match="Credential not found") as missing:
            await questboard.credential("999").eligibility_of([world().holder])
        assert missing.value.timestamp is not None
        with pytest.raises(qb.InvalidArgumentError, match="Invalid cursor"):
            await questboard.space(40).loyalty_points_ranks(cursor_after="nonsense")
        with pytest.raises(qb.PermissionDeniedError, match="Quest is private"):
            await questboard.quest("GCprivate").info()


async def test_a_document_that_is_too_large_or_too_deep() -> None:
    async with client_of() as questboard:
        fields = " ".join(f"a{n}: space(id: 40) {{ name }}" for n in range(101))
        with pytest.raises(qb.CostError) as failure:
            await questboard.query(f"{{ {fields} }}")
        assert failure.value.code == "COMPLEXITY_LIMIT_EXCEEDED"
        assert failure.value.details


async def test_the_data_of_fields_that_did_not_fail() -> None:
    async with client_of() as questboard:
        with pytest.raises(qb.NotFoundError) as failure:
            await questboard.query("{ space(id: 40) { name } quest(id: 1) { name } }")
    assert failure.value.data == {"space": {"name": "Forty"}, "quest": None}
    assert failure.value.path == ["quest"]
    assert len(failure.value.errors) == 1


async def test_a_daily_quota_fails_at_once_with_its_wait() -> None:
    clock = AsyncWaitingClock()
    async with client_of(access_token=world().tokens["spent"], clock=clock, cache=False) as questboard:
        with pytest.raises(qb.RateLimitError) as failure:
            await questboard.space(40).info()
            await questboard.space(40).info()
    assert failure.value.retry_after is not None and failure.value.retry_after > 60
    assert "quota_type: daily" in failure.value.details
    assert clock.waits == []


async def test_the_wait_doubles_without_retry_after_half_of_it_at_random() -> None:
    for draw, expected in ((0.0, [0.5, 1, 2]), (1.0, [1, 2, 4])):
        clock = AsyncWaitingClock()
        foreign = Foreign(refusal(), refusal(), refusal())
        async with client_of(transport=foreign.transport, clock=clock, random=lambda: draw) as questboard:
            await questboard.space(40).info()
        assert clock.waits == expected


async def test_retry_after_in_seconds_or_as_a_date() -> None:
    clock = AsyncWaitingClock()
    date = {"date": "Sat, 21 Nov 2026 12:00:00 GMT", "retry_after": "Sat, 21 Nov 2026 12:00:07 GMT"}
    foreign = Foreign(refusal(503, retry_after="3"), refusal(429, **date))
    async with client_of(transport=foreign.transport, clock=clock, random=lambda: 0.5) as questboard:
        await questboard.space(40).info()
    assert clock.waits == [3.25, 7.5]


async def test_the_error_after_the_last_retry() -> None:
    foreign = Foreign(*(refusal() for _ in range(5)))
    async with client_of(transport=foreign.transport) as questboard:
        with pytest.raises(qb.RateLimitError):
            await questboard.space(40).info()
    assert len(foreign.requests) == 5
    foreign = Foreign(refusal(503))
    async with client_of(transport=foreign.transport, retry=RetrySettings(retries=0)) as questboard:
        with pytest.raises(qb.UnavailableError):
            await questboard.space(40).info()
    assert len(foreign.requests) == 1


async def test_a_quota_error_with_status_200_is_retried() -> None:
    extensions = {"code": "QUOTA_EXCEEDED", "category": "RATE_LIMIT", "http_status": 429}
    body = {"data": None, "errors": [{"message": "API quota exceeded", "extensions": extensions}]}
    foreign = Foreign(httpx.Response(200, json=body))
    async with client_of(transport=foreign.transport) as questboard:
        await questboard.space(40).info()
    assert len(foreign.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 500])
async def test_other_errors_are_not_retried(status: int) -> None:
    foreign = Foreign(refusal(status))
    async with client_of(transport=foreign.transport) as questboard:
        with pytest.raises(qb.QuestboardError) as failure:
            await questboard.space(40).info()
    assert failure.value.http_status == status
    assert len(foreign.requests) == 1


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (502, "<html>Bad gateway</html>"),
        (200, "<html>Welcome</html>"),
        (200, "[]"),
        (200, "null"),
        (200, '{"data": null}'),
        (200, '{"data": {"space": {"id": "40"}}}'),
        (200, '{"data": {"space": "forty"}}'),
        (200, "[" * 100_000),
        (307, ""),
    ],
)
async def test_a_response_that_is_not_of_the_api(status: int, body: str) -> None:
    headers = {"x-request-id": "abc", "location": "/elsewhere"}
    foreign = Foreign(httpx.Response(status, text=body, headers=headers))
    async with client_of(transport=foreign.transport) as questboard:
        with pytest.raises(qb.InvalidResponseError) as failure:
            await questboard.space(40).info()
    assert (failure.value.code, failure.value.category) == ("INVALID_RESPONSE", "CLIENT")
    assert len(foreign.requests) == 1


async def test_a_service_that_cannot_be_reached_or_is_silent() -> None:
    async with client_of(base_url="http://127.0.0.1:1") as questboard:
        with pytest.raises(qb.NetworkError) as unreachable:
            await questboard.space(40).info()
    assert (unreachable.value.code, unreachable.value.http_status) == ("NETWORK_ERROR", None)
    foreign = Foreign(httpx.ReadTimeout("silent"))
    async with client_of(transport=foreign.transport) as questboard:
        with pytest.raises(qb.RequestTimeoutError, match="did not respond within 30 s"):
            await questboard.space(40).info()


@pytest.mark.parametrize(
    "errors",
    [[{"message": 1, "extensions": "none"}], [{"extensions": {"code": [], "details": 1, "http_status": "no"}}], ["no"]],
)
async def test_errors_of_another_shape_are_errors_of_the_client(errors: list[object]) -> None:
    foreign = Foreign(httpx.Response(400, json={"errors": errors}))
    async with client_of(transport=foreign.transport) as questboard:
        with pytest.raises(qb.QuestboardError):
            await questboard.space(40).info()


@pytest.mark.parametrize(
    "data",
    [{"space": {"addressesLoyaltyPoints": []}}, {"space": {"addressesLoyaltyPoints": 1}}, {"space": "forty"}],
)
async def test_a_list_of_another_shape_is_not_of_the_api(data: object) -> None:
    foreign = Foreign(httpx.Response(200, json={"data": data}))
    async with client_of(transport=foreign.transport) as questboard:
        with pytest.raises(qb.InvalidResponseError):
            await questboard.space(40).rank_of("any")


async def test_tokens_hosts_and_bodies_that_cannot_be_encoded_or_decoded() -> None:
    async with client_of(access_token="qbs_…") as questboard:
        with pytest.raises(qb.NetworkError, match="could not be reached: .*ascii"):
            await questboard.space(40).info()
    async with client_of(base_url=f"http://{'a' * 64}.example") as questboard:
        with pytest.raises(qb.NetworkError):
            await questboard.space(40).info()
    broken = httpx.Response(200, stream=httpx.ByteStream(b"no gzip"), headers={"content-encoding": "gzip"})
    async with client_of(transport=Foreign(broken).transport) as questboard:
        with pytest.raises(qb.NetworkError):
            await questboard.space(40).info()


async def test_a_url_that_is_not_one() -> None:
    for url in ("", "api.example.com", "localhost:3000", "ftp://example.com", "/relative"):
        with pytest.raises(ValueError, match="base_url must be an http or https URL"):
            client_of(base_url=url)


async def test_responses_are_cached_and_copied() -> None:
    clock = AsyncWaitingClock()
    foreign = Foreign()
    async with client_of(transport=foreign.transport, clock=clock) as questboard:
        await questboard.space(40).info()
        await questboard.space(40).info()
        assert len(foreign.requests) == 1
        await questboard.space(40).info(fresh=True)
        assert len(foreign.requests) == 2
        clock.time += 30
        await questboard.space(40).info()
        assert len(foreign.requests) == 3
        answer = await questboard.query("{ a }", cache_seconds=60)
        answer["space"]["name"] = "changed"
        assert (await questboard.query("{ a }", cache_seconds=60))["space"]["name"] == "Forty"
    for cache in (False, CacheTimes(space=0)):
        uncached = Foreign()
        async with client_of(transport=uncached.transport, cache=cache) as questboard:
            await questboard.space(40).info()
            await questboard.space(40).info()
        assert len(uncached.requests) == 2


async def test_pauses_between_pages_count_the_time_of_the_caller() -> None:
    clock = AsyncWaitingClock()
    async with client_of(clock=clock, random=lambda: 0.5) as questboard:
        async for _ in questboard.space(40).members(max_pages=2):
            pass
        assert clock.waits == [pytest.approx(0.35)]
        async for _ in questboard.space(40).members(max_pages=2, fresh=True).pages():
            clock.time += 10
    assert clock.waits == [pytest.approx(0.35), 0]


async def test_a_page_without_a_cursor_ends_the_list_with_an_error() -> None:
    page = {"totalCount": 9, "pageInfo": {"hasNextPage": True, "endCursor": None}, "list": []}
    foreign = Foreign(httpx.Response(200, json={"data": {"space": {"loyaltyPointsRanks": page}}}))
    settings = PageSettings(minimum_wait=0, maximum_wait=0)
    async with client_of(transport=foreign.transport, pages=settings) as questboard:
        with pytest.raises(qb.InvalidResponseError, match="no cursor"):
            async for _ in questboard.space(40).members():
                pass
