from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

import questboard as qb
from questboard import AsyncSignIn, Attempt, Tokens

from ..world import world
from .support import AsyncWaitingClock


def sign_in_of(app: str = "plain", **options: Any) -> AsyncSignIn:
    given = world().apps[app]
    defaults: dict[str, Any] = {
        "client_id": given["clientId"],
        "client_secret": given.get("secret"),
        "redirect_uri": given["redirectUri"],
        "scope": ["EVMAddress"],
    }
    return AsyncSignIn(world().issuer, **{**defaults, **options})


async def decide(url: str, decision: str = "allow") -> str:
    """Allows or denies as the user. Returns the URL of the redirect."""
    async with httpx.AsyncClient(timeout=30) as http:
        answer = await http.post(world().decide_url, json={"url": url, "decision": decision})
    return str(answer.json()["callback"])


async def tokens_of(sign_in: AsyncSignIn) -> tuple[Tokens, Attempt]:
    begun = sign_in.begin()
    return await sign_in.finish(await decide(begun.url), begun.attempt), begun.attempt


async def test_signs_a_user_in_and_reads_token_detail_and_user_data() -> None:
    async with sign_in_of() as sign_in:
        begun = sign_in.begin()
        asked = {name: values[0] for name, values in parse_qs(urlsplit(begun.url).query).items()}
        assert asked["code_challenge_method"] == "S256"
        assert (asked["state"], "nonce" in asked) == (begun.attempt.state, False)
        stored = Attempt(**asdict(begun.attempt))
        tokens = await sign_in.finish(await decide(begun.url), stored)
        assert (tokens.scope, tokens.expires_at, tokens.refresh_token) == ("EVMAddress", None, None)
        detail = await sign_in.token_detail(tokens.access_token)
        assert (detail.client_id, detail.scope, detail.expires_at) == (asked["client_id"], "EVMAddress", None)
        assert await sign_in.user_data(tokens.access_token) == {"EVMAddress": world().wallet}
        scope = ["EVMAddress", "Discord"]
        assert await sign_in.user_data(tokens.access_token, scope=scope) == {"EVMAddress": world().wallet}
        assert tokens.access_token not in repr(tokens)


async def test_the_token_in_the_authorization_header() -> None:
    async with sign_in_of(token_header="authorization") as sign_in:
        tokens, _ = await tokens_of(sign_in)
        assert await sign_in.user_data(tokens.access_token) == {"EVMAddress": world().wallet}


async def test_an_app_without_a_server_signs_in_by_pkce_alone() -> None:
    async with sign_in_of("public") as sign_in:
        tokens, _ = await tokens_of(sign_in)
        assert tokens.refresh_token is not None
        renewed = await sign_in.refresh(tokens)
        await sign_in.revoke(renewed.refresh_token or "")
        with pytest.raises(qb.InvalidGrantError):
            await sign_in.refresh(renewed)


async def test_a_user_who_refuses() -> None:
    async with sign_in_of("refused") as sign_in:
        begun = sign_in.begin()
        callback = await decide(begun.url, "deny")
        with pytest.raises(qb.AccessDeniedError):
            await sign_in.finish(callback, begun.attempt)


async def test_a_callback_of_another_sign_in_sends_nothing() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise AssertionError(request.url)

    async with sign_in_of(transport=httpx.MockTransport(refuse)) as sign_in:
        begun = sign_in.begin()
        state = begun.attempt.state
        for callback, attempt, code in (
            ("https://app.example.com/callback?code=stolen&state=guessed", begun.attempt, "state_mismatch"),
            (f"/callback?code=stolen&state={state}", None, "state_mismatch"),
            ("code=stolen", begun.attempt, "state_mismatch"),
            (f"code=stolen&state={state}&iss=https://evil.example", begun.attempt, "issuer_mismatch"),
            (f"/callback?state={state}", begun.attempt, "missing_code"),
        ):
            with pytest.raises(qb.InvalidCallbackError) as failure:
                await sign_in.finish(callback, attempt)
            assert failure.value.code == code


async def test_a_session_refreshes_tokens_and_stores_them_before_use() -> None:
    async with sign_in_of("expiring") as sign_in:
        tokens, _ = await tokens_of(sign_in)
        assert tokens.expires_at is not None and tokens.refresh_token is not None
        stored: list[Tokens] = []
        session = sign_in.session(tokens, stored.append)
        assert await session.access_token() == tokens.access_token
        session = sign_in.session(replace(tokens, expires_at=tokens.expires_at - 86_400), stored.append)
        renewed = await session.access_token()
        assert renewed != tokens.access_token
        assert [each.access_token for each in stored] == [renewed]
        assert await session.access_token() == renewed
        with pytest.raises(qb.InvalidAccessTokenError) as failure:
            await sign_in.token_detail(tokens.access_token)
        assert failure.value.http_status == 401


async def test_a_session_stores_tokens_that_could_not_be_stored() -> None:
    async with sign_in_of("expiring") as sign_in:
        tokens, _ = await tokens_of(sign_in)
        stored: list[str] = []
        faults = [OSError("full")]

        def store(new: Tokens) -> None:
            if faults:
                raise faults.pop()
            stored.append(new.access_token)

        session = sign_in.session(replace(tokens, expires_at=1), store)
        with pytest.raises(OSError, match="full"):
            await session.access_token()
        assert await session.access_token() == stored[0]


async def test_a_session_uses_the_old_token_while_the_service_is_unavailable() -> None:
    clock = AsyncWaitingClock()
    transport = httpx.MockTransport(lambda _: httpx.Response(503, json={"error": "temporarily_unavailable"}))
    async with sign_in_of("expiring", transport=transport, clock=clock) as sign_in:
        tokens = Tokens("qbu_old", "", expires_at=clock.now() + 30, refresh_token="qbr_old")
        session = sign_in.session(tokens)
        assert await session.access_token() == "qbu_old"
        clock.time += 31
        with pytest.raises(qb.OAuthError, match="temporarily_unavailable"):
            await session.access_token()


async def test_errors_have_code_status_and_request_id() -> None:
    async with sign_in_of(client_secret="qbx_wrong") as wrong:
        begun = wrong.begin()
        with pytest.raises(qb.InvalidClientError) as failure:
            await wrong.finish(await decide(begun.url), begun.attempt)
        assert failure.value.http_status == 401
        assert failure.value.request_id is not None and len(failure.value.request_id) == 32
    async with sign_in_of() as sign_in:
        tokens, _ = await tokens_of(sign_in)
        with pytest.raises(qb.InsufficientScopeError):
            await sign_in.user_data(tokens.access_token, scope=["Discord"])
        with pytest.raises(qb.InvalidGrantError):
            await sign_in.refresh(tokens)
    async with AsyncSignIn("http://127.0.0.1:1", client_id="a", redirect_uri="b") as unreachable:
        with pytest.raises(qb.OAuthNetworkError) as network:
            await unreachable.user_data("qbu_any")
        assert network.value.code == "network_error"


async def test_an_id_token_is_verified_with_the_published_keys() -> None:
    async with sign_in_of("expiring", scope=["openid", "EVMAddress"]) as sign_in:
        tokens, attempt = await tokens_of(sign_in)
        verified = await sign_in.verify_id_token(tokens, attempt)
        info = await sign_in.userinfo(tokens.access_token)
        assert verified.subject == info["sub"]
        assert info["EVMAddress"] == world().wallet
        assert verified.expires_at > verified.issued_at


async def test_an_id_token_that_is_not_of_this_sign_in_is_refused() -> None:
    async with sign_in_of("expiring", scope=["openid"]) as sign_in:
        tokens, attempt = await tokens_of(sign_in)
        other, other_attempt = await tokens_of(sign_in)
        assert tokens.id_token is not None
        head, payload, signature = tokens.id_token.split(".")
        late = AsyncWaitingClock()
        late.time = 4_000_000_000
        early = AsyncWaitingClock()
        early.time = 1_000_000_000
        unsigned = f"eyJhbGciOiJub25lIn0.{payload}."
        cases: list[tuple[AsyncSignIn, Tokens, Attempt, str]] = [
            (sign_in, tokens, other_attempt, "nonce"),
            (sign_in, replace(tokens, access_token=other.access_token), attempt, "another access token"),
            (sign_in, replace(tokens, id_token=None), attempt, "scope openid"),
            (sign_in, replace(tokens, id_token="nonsense"), attempt, "cannot be read"),
            (sign_in, replace(tokens, id_token=unsigned), attempt, "not published"),
            (sign_in, replace(tokens, id_token=f"{head}.{payload}.{signature[::-1]}"), attempt, "not valid"),
            (sign_in_of("plain"), tokens, attempt, "not valid"),
            (sign_in_of("expiring", issuer="https://other.example"), tokens, attempt, "not valid"),
            (sign_in_of("expiring", clock=late), tokens, attempt, "expired"),
            (sign_in_of("expiring", clock=early), tokens, attempt, "future"),
        ]
        for client, given, begun, message in cases:
            with pytest.raises(qb.InvalidIdTokenError, match=message):
                await client.verify_id_token(given, begun)
            if client is not sign_in:
                await client.aclose()


def at_signing() -> AsyncWaitingClock:
    clock = AsyncWaitingClock()
    clock.time = world().signed_at
    return clock


async def test_a_logout_token_is_verified_with_the_published_keys() -> None:
    async with sign_in_of("expiring", clock=at_signing()) as sign_in:
        token = await sign_in.verify_logout_token(world().logout_tokens["session"])
        assert (token.session_id, token.subject is None, len(token.token_id)) == ("session", False, 36)
        deleted = await sign_in.verify_logout_token(world().logout_tokens["deleted"])
        assert (deleted.session_id, deleted.subject) == ("session", None)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("of_another_type", "its type is another"),
        ("for_another_app", "not valid"),
        ("without_event", "no logout event"),
        ("with_nonce", "has a nonce"),
        ("without_session", "neither a user nor a session"),
        ("without_id", "not valid"),
    ],
)
async def test_a_logout_token_that_is_not_valid_is_refused(name: str, message: str) -> None:
    async with sign_in_of("expiring", clock=at_signing()) as sign_in:
        with pytest.raises(qb.InvalidLogoutTokenError, match=message):
            await sign_in.verify_logout_token(world().logout_tokens[name])


async def test_a_logout_token_that_is_forged_or_late_is_refused() -> None:
    head, payload, signature = world().logout_tokens["session"].split(".")
    late = at_signing()
    late.time += 300
    cases: list[tuple[AsyncSignIn, str, str]] = [
        (sign_in_of("expiring", clock=at_signing()), f"{head}.{payload}.{signature[::-1]}", "not valid"),
        (sign_in_of("expiring", clock=at_signing()), f"eyJhbGciOiJub25lIn0.{payload}.", "not published"),
        (sign_in_of("expiring", clock=at_signing()), "nonsense", "cannot be read"),
        (sign_in_of("expiring", clock=late), world().logout_tokens["session"], "expired"),
        (sign_in_of("expiring", clock=at_signing(), issuer="https://other.example"), f"{head}.{payload}.{signature}", "not valid"),
    ]
    for client, token, message in cases:
        async with client:
            with pytest.raises(qb.InvalidLogoutTokenError, match=message):
                await client.verify_logout_token(token)


async def test_the_id_token_names_the_session_of_logout_tokens() -> None:
    async with sign_in_of("expiring", scope=["openid"]) as sign_in:
        tokens, attempt = await tokens_of(sign_in)
        assert (await sign_in.verify_id_token(tokens, attempt)).session_id


async def test_responses_that_are_broken_are_oauth_errors() -> None:
    for body in (b"[" * 100_000, b"\xff", b'"text"', b""):
        transport = httpx.MockTransport(lambda _: httpx.Response(200, content=body))
        async with sign_in_of(transport=transport) as sign_in:
            with pytest.raises(qb.OAuthError):
                await sign_in.userinfo("qbu_any")
    endless = httpx.MockTransport(lambda _: httpx.Response(200, json={"access_token": "a", "expires_in": 10**400}))
    async with sign_in_of(transport=endless) as sign_in:
        begun = sign_in.begin()
        callback = f"https://[broken?code=a&state={begun.attempt.state}"
        assert (await sign_in.finish(callback, begun.attempt)).expires_at is None


async def test_the_url_that_signs_out() -> None:
    async with sign_in_of("expiring", scope=["openid"]) as sign_in:
        tokens, _ = await tokens_of(sign_in)
        after = "https://app.example.com/bye"
        url = sign_in.sign_out_url(tokens, post_logout_redirect_uri=after, state="s 1")
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert asked["id_token_hint"] == tokens.id_token
        assert (asked["post_logout_redirect_uri"], asked["state"]) == (after, "s 1")
        async with httpx.AsyncClient() as browser:
            # Without a session in this browser, the user returns at once or sees the page of the service.
            answer = await browser.get(url)
        assert answer.status_code == 303


async def test_options_that_cannot_be_right() -> None:
    with pytest.raises(TypeError, match="scope must be a list"):
        sign_in_of(scope="openid")
    with pytest.raises(ValueError, match="token_header"):
        sign_in_of(token_header="cookie")
    with pytest.raises(ValueError, match="base_url"):
        AsyncSignIn("example.com", client_id="a", redirect_uri="b")
