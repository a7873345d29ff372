from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

BATCH_SIZE = 100
"""The service allows 100 aliases or addresses per document."""


def id_text(value: str | int) -> str:
    """Converts an id to text. A float may be rounded, so it is refused."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise TypeError(f"an id must be a text or a whole number; it is {value!r}")
    return str(value)


def whole_number(name: str, value: str | int) -> int:
    text = id_text(value)
    if not re.fullmatch(r"-?[0-9]+", text):
        raise ValueError(f"{name} must be a whole number; it is {value}")
    return int(text)


def batches_of(keys: Iterable[str]) -> Iterator[list[str]]:
    """The distinct keys in lists of at most 100."""
    distinct = iter(dict.fromkeys(keys))
    while batch := list(islice(distinct, BATCH_SIZE)):
        yield batch


def same_address(one: str, other: str) -> bool:
    """Compares addresses: EVM addresses in upper or lower case, with or without `EVM:`; others exactly."""
    return _canonical(one) == _canonical(other)


def _canonical(address: str) -> str:
    evm = re.fullmatch(r"(?:EVM:)?(0x[0-9a-f]{40})", address.strip(), re.IGNORECASE)
    return evm[1].lower() if evm else address.strip()
