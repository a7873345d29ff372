from __future__ import annotations

from collections.abc import Awaitable, Callable

from .._sign_in_parts import Tokens
from ..errors import OAuthError, OAuthNetworkError
from ._platform import AsyncLock, Listener, call, finish


class AsyncUserSession:
    """Keeps a user's tokens valid."""

    def __init__(
        self,
        tokens: Tokens,
        refresh: Callable[[Tokens], Awaitable[Tokens]],
        on_tokens: Listener[Tokens] | None,
        now: Callable[[], float],
        refresh_before: float,
    ) -> None:
        self._tokens = tokens
        self._refresh = refresh
        self._on_tokens = on_tokens
        self._now = now
        self._refresh_before = refresh_before
        self._stored = True
        self._lock = AsyncLock()

    @property
    def tokens(self) -> Tokens:
        """The current tokens."""
        return self._tokens

    async def access_token(self) -> str:
        """
        Returns a valid access token; refreshes it if it is about to expire. Concurrent calls share one refresh. Raises
        InvalidGrantError if the user must sign in again.
        """
        # The service accepts a refresh token once, so a refresh that has begun must store what it receives.
        return await finish(self._current_token())

    async def _current_token(self) -> str:
        async with self._lock:
            if not (self._stored and self._is_fresh()):
                await self._renew()
            return self._tokens.access_token

    async def _renew(self) -> None:
        # Tokens that could not be stored are stored first.
        if self._stored:
            try:
                self._tokens = await self._refresh(self._tokens)
            except OAuthError as error:
                # The service is unavailable, and the old token is still valid.
                if is_passing(error) and self._now() < (self._tokens.expires_at or 0):
                    return
                raise
        self._stored = False
        if self._on_tokens is not None:
            await call(self._on_tokens, self._tokens)
        self._stored = True

    def _is_fresh(self) -> bool:
        expires_at = self._tokens.expires_at
        if expires_at is None or self._tokens.refresh_token is None:
            return True
        return self._now() < expires_at - self._refresh_before


def is_passing(error: OAuthError) -> bool:
    return isinstance(error, OAuthNetworkError) or (error.http_status or 0) >= 500
