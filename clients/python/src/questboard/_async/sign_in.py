from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any
from urllib.parse import urlencode

import httpx

from .._id_token import (
    ID_TOKEN,
    LOGOUT_TOKEN,
    IdToken,
    LogoutToken,
    find_key,
    header_of,
    id_token_of,
    verify,
    verify_logout,
)
from .._sign_in_parts import (
    SERVICE,
    Attempt,
    BegunSignIn,
    SignInEndpoints,
    TokenDetail,
    Tokens,
    app_of,
    begin,
    read_answer,
    read_callback,
    read_tokens,
    with_query,
)
from ..errors import InvalidGrantError, NetworkError, oauth_error
from ._platform import AsyncClock, AsyncSystemClock, Listener
from .exchange import AsyncExchange
from .session import AsyncUserSession

KEYS_REREAD_AFTER = 60


class AsyncSignIn:
    """
    "Sign in with Questboard": OAuth 2.0 authorization code with PKCE. All methods raise OAuthError.

    - `base_url`: the public URL of the service
    - `client_secret`: only for servers; omit it for an app without a server
    - `redirect_uri`: exactly as registered
    - `scope`: the requested scopes; without it, those that the user granted before
    - `issuer`: the expected issuer, `base_url` by default; None accepts any
    - `token_header`: `access_token`, or `authorization` with `Bearer`, which also passes proxies that drop headers with
      underscores
    - `refresh_before`: access tokens are refreshed this many seconds before they expire
    """

    def __init__(
        self,
        base_url: str,
        *,
        client_id: str,
        redirect_uri: str,
        client_secret: str | None = None,
        scope: Sequence[str] = (),
        issuer: str | None = SERVICE,
        endpoints: SignInEndpoints | None = None,
        token_header: str = "access_token",
        refresh_before: float = 60,
        timeout: float = 30,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: AsyncClock | None = None,
    ) -> None:
        if token_header not in ("access_token", "authorization"):
            raise ValueError(f"token_header must be access_token or authorization; it is {token_header}")
        self._app = app_of(
            base_url,
            client_id=client_id,
            client_secret=client_secret,
            redirect_uri=redirect_uri,
            scope=scope,
            issuer=issuer,
            endpoints=endpoints or SignInEndpoints(),
        )
        self._token_header = token_header
        self._refresh_before = refresh_before
        self._exchange = AsyncExchange(timeout, transport)
        self._clock = clock or AsyncSystemClock()
        self._keys: Mapping[str, Any] = {}
        self._keys_read_at = float("-inf")

    def begin(self, *, scope: Sequence[str] | None = None, **parameters: str) -> BegunSignIn:
        """
        Step 1: returns the URL for the browser, and the attempt to store in the user's session. `parameters` are
        further ones of the authorization request, such as `prompt="login"`.
        """
        return begin(self._app, scope, parameters)

    async def finish(self, callback: str, attempt: Attempt | None) -> Tokens:
        """
        Step 2: validates the callback (its URL, path or query) and redeems its code. Delete the attempt before the
        call, because it works once. Raises InvalidCallbackError before anything is sent, and AccessDeniedError if the
        user refused.
        """
        code = read_callback(callback, attempt, self._app.issuer)
        return await self._request_tokens(
            {
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": self._app.redirect_uri,
                "code_verifier": attempt.code_verifier if attempt else None,
            }
        )

    async def refresh(self, tokens: Tokens) -> Tokens:
        """Step 3: exchanges tokens for new ones; the old ones become invalid."""
        if tokens.refresh_token is None:
            message = "The sign-in has no refresh token: tokens of this app do not expire"
            raise InvalidGrantError("invalid_grant", message)
        given = {"grant_type": "refresh_token", "refresh_token": tokens.refresh_token}
        return await self._request_tokens(given)

    async def token_detail(self, access_token: str) -> TokenDetail:
        """Step 4: the app, the scopes and the expiry of an access token."""
        detail = await self._get(self._app.urls["token_detail"], access_token)
        return TokenDetail(detail.get("client_id", ""), detail.get("scope", ""), detail.get("expires_at"))

    async def user_data(self, access_token: str, *, scope: Sequence[str] | None = None) -> dict[str, Any]:
        """Step 5: the identities of the given scopes. Default: all scopes of the token."""
        query = "" if scope is None else "?" + urlencode({"scope": " ".join(scope)})
        return await self._get(self._app.urls["user_data"] + query, access_token)

    async def userinfo(self, access_token: str) -> dict[str, Any]:
        """The claims of the user: `sub` and the shared identities. The token needs the scope `openid`."""
        return await self._get(self._app.urls["userinfo"], access_token)

    async def verify_id_token(self, tokens: Tokens, attempt: Attempt) -> IdToken:
        """
        Checks the ID token of a sign-in: signature, issuer, app, times, nonce and access token. Raises
        InvalidIdTokenError.
        """
        key = await self._key(header_of(id_token_of(tokens), ID_TOKEN), "invalid_id_token")
        return verify(self._app, tokens, attempt, key, self._clock.now())

    async def verify_logout_token(self, logout_token: str) -> LogoutToken:
        """
        Checks the `logout_token` that the service posts to the back-channel logout URI: signature, type, issuer, app,
        times and event. Raises InvalidLogoutTokenError: respond with 400.
        """
        header = header_of(logout_token, LOGOUT_TOKEN)
        key = await self._key(header, "invalid_logout_token")
        return verify_logout(self._app, logout_token, header, key, self._clock.now())

    async def revoke(self, token: str) -> None:
        """Ends a token: an access token alone, a refresh token with its whole grant."""
        await self._post(self._app.urls["revoke"], {**self._app.credentials, "token": token})

    def sign_out_url(
        self,
        tokens: Tokens | None = None,
        *,
        post_logout_redirect_uri: str | None = None,
        state: str | None = None,
    ) -> str:
        """The URL that signs the user out of the service, too. Send the browser to it."""
        parameters = {
            "client_id": self._app.client_id,
            "id_token_hint": tokens.id_token if tokens else None,
            "post_logout_redirect_uri": post_logout_redirect_uri,
            "state": state,
        }
        return with_query(self._app.urls["logout"], parameters)

    def session(self, tokens: Tokens, on_tokens: Listener[Tokens] | None = None) -> AsyncUserSession:
        """
        Keeps tokens valid by refreshing them before they expire. `on_tokens` stores new tokens, before they are used,
        because the old ones are no longer valid.
        """
        return AsyncUserSession(tokens, self.refresh, on_tokens, self._clock.now, self._refresh_before)

    async def _key(self, header: Mapping[str, Any], code: str) -> Mapping[str, Any]:
        key_id = header.get("kid")
        key = find_key(self._keys, key_id)
        now = self._clock.now()
        if key is None and now - self._keys_read_at >= KEYS_REREAD_AFTER:
            self._keys = await self._send("GET", self._app.urls["keys"], {}, None)
            self._keys_read_at = now
            key = find_key(self._keys, key_id)
        if key is None:
            raise oauth_error(code, "The key of the token is not published")
        return key

    async def _request_tokens(self, parameters: Mapping[str, str | None]) -> Tokens:
        given = {**self._app.credentials, **parameters}
        return read_tokens(await self._post(self._app.urls["token"], given), self._clock.now())

    async def _post(self, url: str, parameters: Mapping[str, str | None]) -> dict[str, Any]:
        form = urlencode({name: value for name, value in parameters.items() if value is not None})
        headers = {"content-type": "application/x-www-form-urlencoded"}
        return await self._send("POST", url, headers, form.encode())

    async def _get(self, url: str, access_token: str) -> dict[str, Any]:
        bearer = self._token_header == "authorization"
        headers = {self._token_header: f"Bearer {access_token}" if bearer else access_token}
        return await self._send("GET", url, headers, None)

    async def _send(self, method: str, url: str, headers: dict[str, str], body: bytes | None) -> dict[str, Any]:
        try:
            named = {"accept": "application/json", **headers}
            answer = await self._exchange.send(method, url, named, body)
        except NetworkError as error:
            raise oauth_error(error.code.lower(), error.message) from error
        return read_answer(answer, url)

    async def aclose(self) -> None:
        """Closes the connections. A `with` statement does it, too."""
        await self._exchange.aclose()

    async def __aenter__(self) -> AsyncSignIn:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()
