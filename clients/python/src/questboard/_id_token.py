"""Verifies ID tokens (OpenID Connect Core 3.1.3.7) and logout tokens (Back-Channel Logout 1.0, 2.6)."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._sign_in_parts import App, Attempt, Tokens
from .errors import OAuthError, oauth_error

ALGORITHM = "RS256"
LEEWAY = 60
LOGOUT = "http://schemas.openid.net/event/backchannel-logout"

ID_TOKEN = "ID token"
LOGOUT_TOKEN = "logout token"


@dataclass(frozen=True)
class IdToken:
    """The claims of a valid ID token."""

    subject: str
    """The immutable ID of the user."""
    issued_at: float
    expires_at: float
    claims: Mapping[str, Any]

    @property
    def session_id(self) -> str | None:
        """The session at the service (`sid`), which a logout token names."""
        return _text(self.claims.get("sid"))


@dataclass(frozen=True)
class LogoutToken:
    """The claims of a valid logout token. End the sessions in your app with its session ID and its subject."""

    token_id: str
    """Unique (`jti`): refuse a token whose ID you have seen before."""
    subject: str | None
    """The user; None if the account was deleted."""
    session_id: str | None
    """The session (`sid`) of the ID token; None if all sessions of the user have ended."""
    claims: Mapping[str, Any]


def id_token_of(tokens: Tokens) -> str:
    if tokens.id_token is None:
        raise _invalid(ID_TOKEN, "The sign-in has no ID token: request the scope openid")
    return tokens.id_token


def header_of(token: str, kind: str) -> Mapping[str, Any]:
    jwt = _library()
    try:
        header: Mapping[str, Any] = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError) as cause:
        raise _invalid(kind, f"The {kind} cannot be read: {cause}") from cause
    return header


def find_key(keys: Mapping[str, Any], key_id: str | None) -> Mapping[str, Any] | None:
    """The key of a JSON Web Key Set with this ID."""
    listed = keys.get("keys")
    for key in listed if isinstance(listed, list) else []:
        if isinstance(key, dict) and key.get("kid") == key_id and key.get("kty") == "RSA":
            return key
    return None


def verify(app: App, tokens: Tokens, attempt: Attempt, key: Mapping[str, Any], now: float) -> IdToken:
    claims = _claims(app, id_token_of(tokens), key, now, ID_TOKEN, ["sub"])
    if not _equal(claims.get("nonce"), attempt.nonce):
        raise _invalid(ID_TOKEN, "The ID token does not belong to this sign-in: its nonce is another")
    if "at_hash" in claims and not _equal(claims["at_hash"], _hash_of(tokens.access_token)):
        raise _invalid(ID_TOKEN, "The ID token belongs to another access token")
    return IdToken(str(claims["sub"]), claims["iat"], claims["exp"], claims)


def verify_logout(
    app: App, token: str, header: Mapping[str, Any], key: Mapping[str, Any], now: float
) -> LogoutToken:
    if str(header.get("typ")).lower().removeprefix("application/") != "logout+jwt":
        raise _invalid(LOGOUT_TOKEN, "The token is not a logout token: its type is another")
    claims = _claims(app, token, key, now, LOGOUT_TOKEN, ["jti"])
    events = claims.get("events")
    if not isinstance(events, dict) or not isinstance(events.get(LOGOUT), dict):
        raise _invalid(LOGOUT_TOKEN, "The logout token has no logout event")
    if "nonce" in claims:
        raise _invalid(LOGOUT_TOKEN, "The logout token has a nonce")
    subject, session_id = _text(claims.get("sub")), _text(claims.get("sid"))
    if subject is None and session_id is None:
        raise _invalid(LOGOUT_TOKEN, "The logout token names neither a user nor a session")
    return LogoutToken(str(claims["jti"]), subject, session_id, claims)


def _claims(
    app: App, token: str, key: Mapping[str, Any], now: float, kind: str, required: list[str]
) -> dict[str, Any]:
    """The claims that both kinds have, checked."""
    jwt = _library()
    # The times are checked below, with the clock of the client.
    required = ["iss", "aud", "exp", "iat", *required]
    options = {"require": required, "verify_exp": False, "verify_iat": False, "verify_nbf": False}
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            jwt.PyJWK.from_dict(dict(key), ALGORITHM).key,
            algorithms=[ALGORITHM],
            audience=app.client_id,
            issuer=app.issuer,
            options=options,
        )
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError) as cause:
        raise _invalid(kind, f"The {kind} is not valid: {cause}") from cause
    expires_at, issued_at = claims["exp"], claims["iat"]
    if not isinstance(expires_at, (int, float)) or not isinstance(issued_at, (int, float)):
        raise _invalid(kind, f"The {kind} has no times")
    if now >= expires_at + LEEWAY:
        raise _invalid(kind, f"The {kind} has expired")
    if issued_at > now + LEEWAY:
        raise _invalid(kind, f"The {kind} is of the future")
    audience = claims["aud"]
    if claims.get("azp", app.client_id) != app.client_id or (isinstance(audience, list) and len(audience) > 1):
        raise _invalid(kind, f"The {kind} is also for another app")
    return claims


def _hash_of(access_token: str) -> str:
    half = hashlib.sha256(access_token.encode()).digest()[:16]
    return base64.urlsafe_b64encode(half).rstrip(b"=").decode()


def _equal(given: Any, expected: str) -> bool:
    return isinstance(given, str) and secrets.compare_digest(given.encode(), expected.encode())


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _invalid(kind: str, message: str) -> OAuthError:
    return oauth_error(f"invalid_{kind.lower().replace(' ', '_')}", message)


def _library() -> Any:
    try:
        import cryptography  # noqa: F401
        import jwt
    except ImportError as cause:
        raise ImportError("Tokens are verified with PyJWT: pip install 'questboard[openid]'") from cause
    return jwt
