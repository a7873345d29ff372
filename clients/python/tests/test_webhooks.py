from __future__ import annotations

import pytest

from questboard import Webhook, WebhookVerificationError

from .world import world

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def test_verifies_what_the_service_signs() -> None:
    for delivery in world().deliveries:
        webhook = Webhook(*delivery["secrets"], now=lambda: 1_800_000_100)
        event = webhook.verify(delivery["body"].encode(), delivery["headers"])
        assert (event.id, event.type, event.data) == ("msg_1", "points.awarded", {"spaceId": 40, "name": "Zoë"})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"webhook-id": "msg_2"}, "no signature matches"),
        ({"webhook-timestamp": "1800000001"}, "no signature matches"),
        ({"webhook-timestamp": "1800000401"}, "older than five minutes, or of the future"),
        ({"webhook-timestamp": "1799999799"}, "older than five minutes, or of the future"),
        ({"webhook-timestamp": "soon"}, "older than five minutes, or of the future"),
        ({"webhook-timestamp": "9" * 5_000}, "older than five minutes, or of the future"),
        ({"webhook-signature": "v1,\ud800"}, "no signature matches"),
        ({"webhook-signature": "v1,AAAA"}, "no signature matches"),
        ({"webhook-signature": ""}, "no signature matches"),
    ],
)
def test_refuses_what_was_changed(change: dict[str, str], message: str) -> None:
    delivery = world().deliveries[0]
    webhook = Webhook(*delivery["secrets"], now=lambda: 1_800_000_100)
    with pytest.raises(WebhookVerificationError, match=message):
        webhook.verify(delivery["body"].encode(), {**delivery["headers"], **change})


def test_refuses_a_changed_body_missing_headers_and_another_secret() -> None:
    delivery = world().deliveries[0]
    webhook = Webhook(*delivery["secrets"], now=lambda: 1_800_000_100)
    with pytest.raises(WebhookVerificationError, match="no signature matches"):
        webhook.verify(delivery["body"].encode() + b" ", delivery["headers"])
    with pytest.raises(WebhookVerificationError, match="lacks webhook-id"):
        webhook.verify(delivery["body"].encode(), {})
    with pytest.raises(WebhookVerificationError, match="no signature matches"):
        Webhook(SECRET, now=lambda: 1_800_000_100).verify(delivery["body"].encode(), delivery["headers"])


def test_a_secret_that_cannot_be_one() -> None:
    with pytest.raises(ValueError, match="whsec_"):
        Webhook("whsec_not base64")
    with pytest.raises(ValueError, match="needs its secret"):
        Webhook()
    for empty in ("", "whsec_", "whsec_c2hvcnQ="):
        with pytest.raises(ValueError, match="at least 16 bytes"):
            Webhook(empty)
