"""The parts of the sign-in that send nothing."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode

from ._answers import Answer
from .errors import oauth_error
from .options import absolute_url


@dataclass(frozen=True)
class Attempt:
    """
    Store this in the user's session until the callback, never in a URL. `dataclasses.asdict` turns it into a dict,
    and `Attempt(**values)` back.
    """

    state: str
    code_verifier: str
    nonce: str


@dataclass(frozen=True)
class BegunSignIn:
    url: str
    """Send the browser of the user to it."""
    attempt: Attempt


@dataclass(frozen=True)
class Tokens:
    """The tokens of a user. Store them where only your server can read them."""

    access_token: str = field(repr=False)
    scope: str
    """The granted scopes, separated by spaces."""
    expires_at: float | None = None
    """The expiry of the access token in seconds since 1970; None if it does not expire."""
    refresh_token: str | None = field(default=None, repr=False)
    """Only for apps with expiring tokens. It works once: a refresh replaces it."""
    id_token: str | None = field(default=None, repr=False)
    """Present if the scope `openid` was granted."""


@dataclass(frozen=True)
class TokenDetail:
    client_id: str
    scope: str
    expires_at: str | None
    """RFC 3339, or None for a token that does not expire."""


@dataclass(frozen=True)
class SignInEndpoints:
    """URLs that differ from those of Questboard services."""

    authorize: str | None = None
    token: str | None = None
    token_detail: str | None = None
    user_data: str | None = None
    userinfo: str | None = None
    keys: str | None = None
    revoke: str | None = None
    logout: str | None = None


PATHS = {
    "authorize": "/oauth",
    "token": "/oauth/auth/2/token",
    "token_detail": "/oauth/api/2/token",
    "user_data": "/oauth/api/2/user",
    "userinfo": "/oauth/userinfo",
    "keys": "/oauth/jwks",
    "revoke": "/oauth/revoke",
    "logout": "/oauth/logout",
}

SERVICE = "the issuer of base_url"
"""The default of `issuer`."""


@dataclass(frozen=True)
class App:
    """The app that signs users in, with the URLs of the service."""

    client_id: str
    client_secret: str | None
    redirect_uri: str
    scope: Sequence[str]
    issuer: str | None
    urls: Mapping[str, str]

    @property
    def credentials(self) -> dict[str, str | None]:
        return {"client_id": self.client_id, "client_secret": self.client_secret}


SCOPE_TYPE = 'scope must be a list of scopes, such as ["openid", "Email"]'


def app_of(
    base_url: str,
    *,
    client_id: str,
    client_secret: str | None,
    redirect_uri: str,
    scope: Sequence[str],
    issuer: str | None,
    endpoints: SignInEndpoints,
) -> App:
    if isinstance(scope, str):
        raise TypeError(SCOPE_TYPE)
    url = absolute_url(base_url)
    urls = {name: getattr(endpoints, name) or f"{url}{path}" for name, path in PATHS.items()}
    return App(client_id, client_secret, redirect_uri, scope, url if issuer == SERVICE else issuer, urls)


def begin(app: App, scope: Sequence[str] | None, parameters: Mapping[str, str]) -> BegunSignIn:
    if isinstance(scope, str):
        raise TypeError(SCOPE_TYPE)
    attempt = Attempt(secrets.token_urlsafe(32), secrets.token_urlsafe(32), secrets.token_urlsafe(32))
    scopes = app.scope if scope is None else scope
    asked = {
        "response_type": "code",
        "client_id": app.client_id,
        "redirect_uri": app.redirect_uri,
        "scope": " ".join(scopes),
        "state": attempt.state,
        "code_challenge": challenge_of(attempt.code_verifier),
        "code_challenge_method": "S256",
        # Without scopes, the service may grant openid again.
        **({"nonce": attempt.nonce} if "openid" in scopes or not scopes else {}),
        **parameters,
    }
    return BegunSignIn(with_query(app.urls["authorize"], asked), attempt)


def challenge_of(verifier: str) -> str:
    """The S256 challenge of a verifier (RFC 7636 4.2)."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def with_query(url: str, parameters: Mapping[str, str | None]) -> str:
    given = urlencode({name: value for name, value in parameters.items() if value is not None})
    return f"{url}{'&' if '?' in url else '?'}{given}" if given else url


def read_callback(callback: str, attempt: Attempt | None, issuer: str | None) -> str:
    """
    Validates a callback, given as a URL, a path or a query, and returns its code. Raises OAuthError: `state_mismatch`,
    `issuer_mismatch`, an error of the service such as `access_denied`, or `missing_code`.
    """
    address = callback.partition("#")[0]
    query = address.partition("?")[2] if "?" in address else address
    parameters = {name: values[0] for name, values in parse_qs(query, keep_blank_values=True).items()}
    # First, because the callback may belong to another user's sign-in.
    state = parameters.get("state", "").encode(errors="replace")
    if attempt is None or not attempt.state or not secrets.compare_digest(state, attempt.state.encode()):
        raise oauth_error("state_mismatch", "The callback does not belong to this sign-in: its state is another")
    iss = parameters.get("iss")
    if iss is not None and issuer is not None and iss.rstrip("/") != issuer.rstrip("/"):
        raise oauth_error("issuer_mismatch", f"The callback comes from {iss}, not from {issuer}")
    error = parameters.get("error")
    if error is not None:
        raise oauth_error(error, parameters.get("error_description", error))
    code = parameters.get("code")
    if not code:
        raise oauth_error("missing_code", "The callback has no code")
    return code


def read_tokens(answer: Mapping[str, Any], received_at: float) -> Tokens:
    """Reads a response of the token endpoint (RFC 6749 5.1)."""
    access_token = answer.get("access_token")
    if not isinstance(access_token, str) or not access_token:
        raise oauth_error("invalid_response", "The token endpoint returned no access_token")
    try:
        lifetime = answer.get("expires_in")
        expires_at = None if lifetime is None else received_at + float(lifetime)
    except (TypeError, ValueError, OverflowError):
        expires_at = None
    return Tokens(
        access_token=access_token,
        scope=_text(answer.get("scope")) or "",
        expires_at=expires_at,
        refresh_token=_text(answer.get("refresh_token")),
        id_token=_text(answer.get("id_token")),
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def read_answer(answer: Answer, url: str) -> dict[str, Any]:
    """The JSON object of a response. Some services return errors with status 200."""
    body = answer.json
    facts = {"http_status": answer.status, "request_id": answer.headers.get("x-request-id")}
    if isinstance(body, dict) and isinstance(body.get("error"), str):
        code = body["error"]
        raise oauth_error(code, _text(body.get("error_description")) or code, **facts)
    if not answer.ok or not isinstance(body, dict):
        message = f"{url} responded with {answer.status} and without a JSON object"
        raise oauth_error("invalid_response", message, **facts)
    return body
