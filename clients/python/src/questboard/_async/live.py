from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from .._events import EventParser, ServerEvent, StreamMemory
from .._live import BoardState, LiveBoard, Member, Place
from .._retry import wait_before
from ..errors import QuestboardError
from .connection import AsyncConnection

# The service sends a comment every 15 seconds. A connection without any is dead.
SILENCE = 45.0


async def follow_board(
    connection: AsyncConnection,
    path: str,
    read_place: Callable[[Any], Place],
    read_member: Callable[[Any], Member],
) -> AsyncGenerator[LiveBoard[Place, Member], None]:
    state = BoardState(read_place, read_member)
    async with aclosing(read_events(connection, path)) as events:
        async for event in events:
            board = state.apply(event)
            if board is not None:
                yield board


async def read_events(connection: AsyncConnection, path: str) -> AsyncGenerator[ServerEvent, None]:
    """
    The events of a stream, over as many connections as it needs. Before the first event, it retries like other methods.
    Later it connects again until the service refuses it.
    """
    memory = StreamMemory()
    settings = connection.retry
    failures = 0
    while True:
        wait: float | None
        try:
            async with aclosing(_connect(connection, path, memory)) as events:
                async for event in events:
                    failures = 0
                    settings = replace(settings, retries=sys.maxsize)
                    yield event
            wait = connection.retry.first_wait if memory.retry is None else memory.retry
        except QuestboardError as error:
            failures += 1
            wait = wait_before(failures, error, settings, connection.random(), lost_connections=True)
            if wait is None:
                raise
        await connection.clock.sleep(wait)


async def _connect(
    connection: AsyncConnection, path: str, memory: StreamMemory
) -> AsyncGenerator[ServerEvent, None]:
    parser = EventParser(memory)
    async with aclosing(connection.stream(path, memory.last_id, SILENCE)) as chunks:
        async for chunk in chunks:
            for event in parser.feed(chunk):
                yield event
