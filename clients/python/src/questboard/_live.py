"""Live boards: from events to the state of a board."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, List, TypeVar
from urllib.parse import urlencode

from ._answers import parsed
from ._events import ServerEvent
from .errors import invalid_response

Place = TypeVar("Place")
Member = TypeVar("Member")


@dataclass(frozen=True)
class LiveBoard(Generic[Place, Member]):
    """A board after an event of its stream."""

    version: str
    """The version of the board, for `changes`."""
    total_count: int | None
    """The members on the board; None if only one member is followed."""
    list: List[Place]
    """The first places; empty if only one member is followed."""
    changed: Mapping[int, Place]
    """The places that differ from those of the event before, by their position from 1."""
    member: Member | None
    """The followed member; None if it is not on the board, or none is followed."""


class BoardState(Generic[Place, Member]):
    """The board after the events so far."""

    def __init__(self, read_place: Callable[[Any], Place], read_member: Callable[[Any], Member]) -> None:
        self._read_place = read_place
        self._read_member = read_member
        self._places: dict[int, Place] = {}
        self._total_count: int | None = None
        self._member: Member | None = None

    def apply(self, event: ServerEvent) -> LiveBoard[Place, Member] | None:
        """The board after the event; None for events that do not change it. Raises InvalidResponseError."""
        if event.name not in ("board", "changes"):
            return None
        try:
            data = json.loads(event.data)
        except (ValueError, RecursionError) as cause:
            raise invalid_response("An event of the stream is not JSON") from cause
        return parsed(self._apply, data)

    def _apply(self, data: Mapping[str, Any]) -> LiveBoard[Place, Member]:
        whole = data.get("list")
        given = data.get("changed", []) if whole is None else whole
        changed = {int(place["position"]): self._read_place(place) for place in given}
        places = changed if whole is not None else {**self._places, **changed}
        size = data.get("size", len(places))
        self._places = {position: places[position] for position in sorted(places) if position <= size}
        self._total_count = data.get("totalCount", self._total_count)
        if "member" in data:
            self._member = None if data["member"] is None else self._read_member(data["member"])
        return LiveBoard(
            str(data["version"]), self._total_count, [*self._places.values()], changed, self._member
        )


def live_path(board: str, parameters: Mapping[str, Any]) -> str:
    given = {name: value for name, value in parameters.items() if value is not None}
    return f"live/{board}?{urlencode(given)}"
