"""The results of the ingest API."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ._answers import Answer, by_status, read_retry_after
from .errors import error_of, invalid_response

MAX_ITEMS = 5_000
MAX_BYTES = 8 * 1024 * 1024
"""The service accepts so much in one request."""


@dataclass(frozen=True)
class QuestCompletion:
    address: str
    points: int
    sprint_id: int | None
    claimed_at: str


@dataclass(frozen=True)
class ItemError:
    """Why an item was refused."""

    code: str
    message: str
    field: str | None
    allowed: str | None
    """The values that the field accepts."""
    reason: str | None
    """For completions: the reason, its rule, whether the item can be accepted later, and what is missing."""
    rule: str | None
    retry: bool
    conditions: list[dict[str, Any]]


@dataclass(frozen=True)
class ItemResult:
    index: int
    """The position of the item, from 0."""
    status: str
    """`applied`, `duplicate`, `unchanged` or `refused`."""
    error: ItemError | None = None
    entry: str | None = None
    """For reversals: the id of the new entry in the ledger."""
    completion: QuestCompletion | None = None


@dataclass(frozen=True)
class BatchResult:
    """The results of the items, in their order. Check `refused`: a refused item does not stop the others."""

    results: list[ItemResult] = field(default_factory=list)

    @property
    def refused(self) -> list[ItemResult]:
        return [result for result in self.results if result.status == "refused"]

    @property
    def summary(self) -> dict[str, int]:
        counts = {"applied": 0, "duplicate": 0, "unchanged": 0, "refused": 0}
        for result in self.results:
            counts[result.status] = counts.get(result.status, 0) + 1
        return counts


@dataclass(frozen=True)
class ReplacedList:
    credential_id: str
    item_count: int
    """The number of holders in the list."""
    read: int
    """The number of lines."""


@dataclass(frozen=True)
class Refresh:
    starboard_id: str
    published: bool
    """Whether anything changed."""
    version: int
    user_count: int


def bodies_of(items: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """The items as NDJSON, in bodies that the service accepts."""
    lines: list[bytes] = []
    size = 0
    for item in items:
        line = json.dumps(item, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        if lines and (len(lines) == MAX_ITEMS or size + len(line) > MAX_BYTES):
            yield b"".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield b"".join(lines)


def read_json(answer: Answer) -> Any:
    """The body of a successful response. Raises QuestboardError for each failure."""
    body = answer.json
    error = body.get("error") if isinstance(body, dict) else None
    if answer.ok and isinstance(body, dict) and not isinstance(error, dict):
        return body
    facts = {
        "http_status": answer.status,
        "request_id": answer.headers.get("x-request-id"),
        "retry_after": read_retry_after(answer.headers),
    }
    if not isinstance(error, dict):
        code, category = by_status(answer.status)
        if code == "INVALID_RESPONSE":
            raise invalid_response(f"The response is not of the API: HTTP status {answer.status}", **facts)
        raise error_of(f"The service returned status {answer.status}", code=code, category=category, **facts)
    code = str(error.get("code"))
    failure = error_of(str(error.get("message")), code=code, category=_category(answer.status), **facts)
    failure.field = error.get("field")
    problems = error.get("problems")
    failure.problems = problems if isinstance(problems, list) else []
    raise failure


def _category(status: int) -> str:
    names = {
        401: "AUTHENTICATION",
        403: "AUTHORIZATION",
        404: "NOT_FOUND",
        409: "CONFLICT",
        429: "RATE_LIMIT",
        500: "INTERNAL",
        503: "UNAVAILABLE",
    }
    return names.get(status, "VALIDATION")


def read_results(body: Mapping[str, Any], offset: int) -> list[ItemResult]:
    return [_result(each, offset) for each in body["results"]]


def _result(result: Mapping[str, Any], offset: int) -> ItemResult:
    error, completion = result.get("error"), result.get("completion")
    return ItemResult(
        index=result["index"] + offset,
        status=result["status"],
        error=None if error is None else _error(error),
        entry=result.get("entry"),
        completion=None
        if completion is None
        else QuestCompletion(
            completion["address"], completion["points"], completion["sprintId"], completion["claimedAt"]
        ),
    )


def _error(error: Mapping[str, Any]) -> ItemError:
    return ItemError(
        code=error["code"],
        message=error["message"],
        field=error.get("field"),
        allowed=error.get("allowed"),
        reason=error.get("reason"),
        rule=error.get("rule"),
        retry=error.get("retry") is True,
        conditions=list(error.get("conditions") or []),
    )
