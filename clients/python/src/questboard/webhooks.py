"""Verifies deliveries of webhooks (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import WebhookVerificationError

TOLERANCE = 300
MIN_KEY_BYTES = 16


@dataclass(frozen=True)
class WebhookEvent:
    id: str
    """The same in every attempt; ignore ids that you have already handled."""
    type: str
    timestamp: str
    """When the event happened: RFC 3339."""
    data: dict[str, Any]


class Webhook:
    """
    Verifies deliveries with the secret of a webhook, or with two while the secret is rotated:

        event = Webhook(secret).verify(body, headers)
    """

    def __init__(self, *secrets: str, now: Callable[[], float] = time.time) -> None:
        if not secrets:
            raise ValueError("a webhook needs its secret: whsec_…")
        self._keys = [_key_of(secret) for secret in secrets]
        self._now = now

    def verify(self, body: bytes, headers: Mapping[str, str]) -> WebhookEvent:
        """
        Returns the event of a delivery that was signed within the last five minutes. `body` are the bytes as they
        arrived. Raises WebhookVerificationError, which says what is wrong.
        """
        given = {name.lower(): value for name, value in headers.items()}
        id, timestamp, signatures = (given.get(f"webhook-{name}") for name in ("id", "timestamp", "signature"))
        if id is None or timestamp is None or signatures is None:
            raise WebhookVerificationError(
                "the delivery lacks webhook-id, webhook-timestamp or webhook-signature"
            )
        if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(self._now() - int(timestamp)) > TOLERANCE:
            raise WebhookVerificationError("the delivery is older than five minutes, or of the future")
        signed = f"{id}.{timestamp}.".encode(errors="replace") + body
        expected = [hmac.digest(key, signed, hashlib.sha256) for key in self._keys]
        if not _any_equal(expected, signatures):
            raise WebhookVerificationError("no signature matches")
        return _event_of(id, body)


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as cause:
        raise ValueError("the secret of a webhook must be whsec_ and base64") from cause
    # Anyone can sign with the key of an empty setting.
    if len(key) < MIN_KEY_BYTES:
        raise ValueError(f"the secret of a webhook has at least {MIN_KEY_BYTES} bytes")
    return key


def _any_equal(expected: Sequence[bytes], signatures: str) -> bool:
    wanted = [b"v1," + base64.b64encode(one) for one in expected]
    given = [one.encode(errors="replace") for one in signatures.split(" ")]
    # Compares all, so that the time does not depend on the position of the match.
    return any([hmac.compare_digest(one, other) for one in wanted for other in given])


def _event_of(id: str, body: bytes) -> WebhookEvent:
    try:
        event = json.loads(body)
        return WebhookEvent(id, event["type"], event["timestamp"], event["data"])
    except (ValueError, KeyError, TypeError) as cause:
        raise WebhookVerificationError("the body is not an event") from cause
