"""Reads `text/event-stream`, as `EventSource` does."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class ServerEvent:
    name: str
    data: str


@dataclass
class StreamMemory:
    """The position of a stream, kept across its connections."""

    last_id: str | None = None
    """The id of the last event."""
    retry: float | None = None
    """The wait before the next connection in seconds."""


class EventParser:
    """`feed` returns the events that a chunk completes."""

    def __init__(self, memory: StreamMemory) -> None:
        self._memory = memory
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
        self._rest = ""
        self._id: str | None = None
        self._name = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        # A carriage return at the end can be the first half of a line break.
        *lines, self._rest = re.split(r"\r\n|\n|\r(?!\Z)", self._rest + self._decoder.decode(chunk))
        return [event for event in map(self._line, lines) if event is not None]

    def _line(self, line: str) -> ServerEvent | None:
        if line == "":
            return self._dispatch()
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value
        elif field == "id":
            self._id = value
        elif field == "retry" and re.fullmatch(r"[0-9]{1,9}", value):
            self._memory.retry = int(value) / 1000
        return None

    def _dispatch(self) -> ServerEvent | None:
        event = ServerEvent(self._name, "\n".join(self._data)) if self._data else None
        if event is not None and self._id is not None:
            self._memory.last_id = self._id
        self._name = ""
        self._data = []
        return event
