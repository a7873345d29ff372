from __future__ import annotations

import copy
from collections import OrderedDict
from threading import Lock
from typing import Any


class Cache:
    """An LRU cache of responses. Each caller gets its own copy."""

    def __init__(self, entries: int) -> None:
        self._size = entries
        self._entries: OrderedDict[str, tuple[float, Any]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str, now: float) -> Any:
        with self._lock:
            until, answer = self._entries.get(key, (0.0, None))
            if now < until:
                self._entries.move_to_end(key)
        return copy.deepcopy(answer) if now < until else None

    def keep(self, key: str, until: float, answer: Any) -> None:
        kept = copy.deepcopy(answer)
        with self._lock:
            self._entries.pop(key, None)
            self._entries[key] = (until, kept)
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)
