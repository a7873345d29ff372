from __future__ import annotations

from questboard._events import EventParser, ServerEvent, StreamMemory

TEXT = (
    "\ufeffretry: 2500\r\n\r\n: comment\n\nid: 1\nevent: board\ndata: ä\rdata:  b\n\n"
    "id: 2\nretry: soon\n\nevent\ndata\n\ndata: unfinished"
)


def test_events_are_the_same_in_chunks_of_every_size() -> None:
    encoded = TEXT.encode()
    for size in range(1, len(encoded) + 1):
        memory = StreamMemory()
        parser = EventParser(memory)
        events = [
            event for start in range(0, len(encoded), size) for event in parser.feed(encoded[start : start + size])
        ]
        assert events == [ServerEvent("board", "ä\n b"), ServerEvent("", "")]
        assert (memory.last_id, memory.retry) == ("2", 2.5)
