"""From HTTP responses to data or errors."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from .errors import QuestboardError, error_of, invalid_response, not_found

Value = TypeVar("Value")


@dataclass(frozen=True)
class Answer:
    """A response that was read completely."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def json(self) -> Any:
        """The body as JSON; None if it is not JSON, for example an error page of a proxy."""
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            return None


def read_data(answer: Answer) -> Mapping[str, Any]:
    """The `data` of a response of `/query`. Raises QuestboardError for each failure."""
    body = answer.json
    fields = body if isinstance(body, dict) else {}
    data, errors = fields.get("data"), fields.get("errors")
    if isinstance(errors, list) and errors:
        raise _refusal(answer, [_entry(each) for each in errors if isinstance(each, dict)], data)
    if answer.ok and isinstance(data, dict):
        return data
    raise _refusal(answer, [], data)


def stream_refusal(answer: Answer) -> QuestboardError:
    """The error of a response that is not a stream of events."""
    if not answer.ok:
        try:
            read_data(answer)
        except QuestboardError as refusal:
            return refusal
    return invalid_response("The response is not a stream of events", http_status=answer.status)


def _entry(error: dict[str, Any]) -> dict[str, Any]:
    """An error of the response, without extensions that have another shape."""
    extensions = error.get("extensions")
    if not isinstance(extensions, dict):
        return {**error, "extensions": {}}
    kept = {name: value for name, value in extensions.items() if _has_shape(name, value)}
    return {**error, "extensions": kept}


def _has_shape(name: str, value: Any) -> bool:
    kinds = {"code": str, "category": str, "http_status": int, "details": list}
    return isinstance(value, kinds.get(name, object))


def _refusal(answer: Answer, errors: list[dict[str, Any]], data: Any) -> QuestboardError:
    first = errors[0] if errors else {}
    extensions = first.get("extensions") or {}
    status = extensions.get("http_status") or (None if answer.ok else answer.status)
    usual_code, usual_category = by_status(status)
    facts = {
        "http_status": status,
        "request_id": extensions.get("request_id") or answer.headers.get("x-request-id"),
        "retry_after": read_retry_after(answer.headers),
        "errors": errors,
        "data": data,
    }
    if not errors and usual_code == "INVALID_RESPONSE":
        return invalid_response(f"The response is not GraphQL: HTTP status {answer.status}", **facts)
    return error_of(
        first.get("message") or f"The service returned status {answer.status}",
        code=extensions.get("code") or usual_code,
        category=extensions.get("category") or usual_category,
        **facts,
    )


def by_status(status: int | None) -> tuple[str, str]:
    """The code and category of an error response without one, for example from a proxy."""
    if status == 429:
        return "QUOTA_EXCEEDED", "RATE_LIMIT"
    if status == 503:
        return "UNAVAILABLE", "UNAVAILABLE"
    return "INVALID_RESPONSE", "CLIENT"


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, or a date relative to the `Date` of the response (RFC 9110, 10.2.3)."""
    value = headers.get("retry-after")
    if value is None:
        return None
    if re.fullmatch(r"[0-9]+", value):
        return float(value)
    try:
        wait = parsedate_to_datetime(value) - parsedate_to_datetime(headers.get("date", ""))
    except (ValueError, TypeError):
        return None
    return max(wait.total_seconds(), 0)


def found(value: Any, message: str) -> Any:
    """Servers may return null without an error."""
    if value is None:
        raise not_found(message)
    return value


def found_object(value: Any, message: str) -> Mapping[str, Any]:
    """The same for an object, whose fields the caller reads."""
    if not isinstance(found(value, message), dict):
        raise invalid_response(f"The response has another shape than the API: {value!r} is not an object")
    fields: Mapping[str, Any] = value
    return fields


def parsed(read: Callable[[Any], Value], value: Any) -> Value:
    """Reads a part of a response. Raises InvalidResponseError if it has another shape."""
    try:
        return read(value)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as cause:
        raise invalid_response(f"The response has another shape than the API: {cause!r}") from cause
