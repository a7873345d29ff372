"""The services that the Vitest file has started, and what they contain."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cache
from typing import Any


@dataclass(frozen=True)
class World:
    url: str
    tokens: dict[str, str]
    ingest_token: str
    starboard: str
    credential: str
    holder: str
    members: int
    users: int
    quests: int
    specified_url: str
    """A server without Questboard's additions to the query API."""
    issuer: str
    decide_url: str
    """Allows or denies a sign-in as the user."""
    wallet: str
    apps: dict[str, dict[str, str]]
    deliveries: list[dict[str, Any]]
    logout_tokens: dict[str, str]
    """Signed by the service for the app `expiring`. Only `session` and `deleted` are valid."""
    signed_at: float


@cache
def world() -> World:
    return World(**json.loads(os.environ["QUESTBOARD_WORLD"]))


def address(n: int) -> str:
    return f"0x{n:040x}"
