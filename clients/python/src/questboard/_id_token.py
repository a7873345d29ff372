"""Verifies ID tokens (OpenID Connect Core 3.1.3.7)."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._sign_in_parts import App, Attempt, Tokens
from .errors import InvalidIdTokenError

ALGORITHM = "RS256"
LEEWAY = 60


@dataclass(frozen=True)
class IdToken:
    """The claims of a valid ID token."""

    subject: str
    """The immutable ID of the user."""
    issued_at: float
    expires_at: float
    claims: Mapping[str, Any]


def key_id_of(tokens: Tokens) -> str | None:
    """The key that signed the ID token; None if the token names none."""
    jwt = _library()
    if tokens.id_token is None:
        raise _invalid("The sign-in has no ID token: request the scope openid")
    try:
        header: Mapping[str, Any] = jwt.get_unverified_header(tokens.id_token)
    except jwt.PyJWTError as cause:
        raise _invalid(f"The ID token cannot be read: {cause}") from cause
    return header.get("kid")


def find_key(keys: Mapping[str, Any], key_id: str | None) -> Mapping[str, Any] | None:
    """The key of a JSON Web Key Set with this ID."""
    listed = keys.get("keys")
    for key in listed if isinstance(listed, list) else []:
        if isinstance(key, dict) and key.get("kid") == key_id and key.get("kty") == "RSA":
            return key
    return None


def verify(app: App, tokens: Tokens, attempt: Attempt, key: Mapping[str, Any], now: float) -> IdToken:
    jwt = _library()
    required = ["iss", "sub", "aud", "exp", "iat"]
    # The times are checked below, with the clock of the client.
    options = {"require": required, "verify_exp": False, "verify_iat": False, "verify_nbf": False}
    try:
        claims: dict[str, Any] = jwt.decode(
            tokens.id_token or "",
            jwt.PyJWK.from_dict(dict(key), ALGORITHM).key,
            algorithms=[ALGORITHM],
            audience=app.client_id,
            issuer=app.issuer,
            options=options,
        )
    except jwt.PyJWTError as cause:
        raise _invalid(f"The ID token is not valid: {cause}") from cause
    expires_at, issued_at = claims["exp"], claims["iat"]
    if not isinstance(expires_at, (int, float)) or not isinstance(issued_at, (int, float)):
        raise _invalid("The ID token has no times")
    if now >= expires_at + LEEWAY:
        raise _invalid("The ID token has expired")
    if issued_at > now + LEEWAY:
        raise _invalid("The ID token is of the future")
    audience = claims["aud"]
    if claims.get("azp", app.client_id) != app.client_id or (isinstance(audience, list) and len(audience) > 1):
        raise _invalid("The ID token is also for another app")
    if not _equal(claims.get("nonce"), attempt.nonce):
        raise _invalid("The ID token does not belong to this sign-in: its nonce is another")
    if "at_hash" in claims and not _equal(claims["at_hash"], _hash_of(tokens.access_token)):
        raise _invalid("The ID token belongs to another access token")
    return IdToken(str(claims["sub"]), issued_at, expires_at, claims)


def _hash_of(access_token: str) -> str:
    half = hashlib.sha256(access_token.encode()).digest()[:16]
    return base64.urlsafe_b64encode(half).rstrip(b"=").decode()


def _equal(given: Any, expected: str) -> bool:
    return isinstance(given, str) and secrets.compare_digest(given.encode(), expected.encode())


def _invalid(message: str) -> InvalidIdTokenError:
    return InvalidIdTokenError("invalid_id_token", message)


def _library() -> Any:
    try:
        import cryptography  # noqa: F401
        import jwt
    except ImportError as cause:
        raise ImportError("verify_id_token needs PyJWT: pip install 'questboard[openid]'") from cause
    return jwt
