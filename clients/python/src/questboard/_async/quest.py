from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .. import _documents as documents
from .._answers import found, found_object, parsed
from .._ids import id_text
from ..errors import QuestboardError, invalid_response
from ..models import CredentialGroup, QuestInfo, QuestOrder, QuestPage, QuestStatus, QuestType
from .connection import AsyncConnection
from .paging import AsyncPagedList, ReadSoFar

NOT_FOUND = "Quest not found"
PAGE_SIZE = 20


class AsyncQuestReader:
    """Reads one quest. All methods raise NotFoundError or PermissionDeniedError if it cannot be read."""

    def __init__(self, connection: AsyncConnection, id: str | int) -> None:
        self._connection = connection
        self.id = id_text(id)

    async def info(self, *, fresh: bool = False) -> QuestInfo:
        """Every field of the quest."""
        lifetime = self._connection.cache.quest
        data = await self._connection.ask(documents.QUEST, {"id": self.id}, lifetime, fresh)
        return parsed(QuestInfo.from_json, found_object(data.get("quest"), NOT_FOUND))

    async def credential_groups(self, address: str, *, fresh: bool = False) -> list[CredentialGroup]:
        """The quest's groups of conditions and rewards, evaluated for one address."""
        variables = {"questId": self.id, "address": address}
        lifetime = self._connection.cache.eligibility
        data = await self._connection.ask(documents.QUEST_GROUPS, variables, lifetime, fresh)
        groups = found_object(data.get("quest"), NOT_FOUND).get("credentialGroups") or []
        return parsed(_groups, groups)


class AsyncQuests:
    """The list of quests that match a filter."""

    def __init__(
        self,
        connection: AsyncConnection,
        *,
        space_id: str | int | None,
        statuses: Sequence[QuestStatus] | None,
        types: Sequence[QuestType] | None,
        order: QuestOrder | None,
        fresh: bool,
    ) -> None:
        self._connection = connection
        self._fresh = fresh
        given = {
            "spaceId": None if space_id is None else id_text(space_id),
            "statuses": statuses,
            "types": types,
            "order": order,
        }
        self._filter = {name: value for name, value in given.items() if value is not None}

    async def page(self, first: int, after: str | None) -> QuestPage:
        """One page. Some servers refuse the argument `after`, so it is sent only if it is given."""
        input: dict[str, Any] = {**self._filter, "first": first}
        if after:
            input["after"] = after
        lifetime = self._connection.cache.quest
        data = await self._connection.ask(documents.QUESTS, {"input": input}, lifetime, self._fresh)
        return parsed(QuestPage.from_json, found(data.get("quests"), "Quests not found"))

    def list(
        self, first: int, after: str | None, max_pages: int | None
    ) -> AsyncPagedList[QuestInfo, QuestPage]:
        async def read_page(cursor: str | None, so_far: ReadSoFar[QuestPage]) -> QuestPage:
            try:
                return await self.page(first, cursor)
            except QuestboardError as error:
                if so_far.page is None or not refuses_after(error):
                    raise
            return await self._rest(so_far.page.total_count, so_far.items)

        def items_of(page: QuestPage) -> Sequence[QuestInfo]:
            return page.list

        return AsyncPagedList(self._connection, read_page, items_of, after=after, max_pages=max_pages)

    async def _rest(self, total_count: int, already_read: int) -> QuestPage:
        """
        For servers without the argument, one page with all quests, without those already read.
        """
        page = await self.page(total_count, None)
        rest = page.list[already_read:]
        if not rest:
            raise invalid_response(
                f"The service lists only the first {already_read} of {total_count} quests; narrow the filter"
            )
        return QuestPage(page.total_count, page.page_info, rest)


def refuses_after(error: QuestboardError) -> bool:
    """Whether the server rejects the input field `after`; matches messages of all GraphQL libraries."""
    for each in error.errors:
        message = str(each.get("message"))
        path = " ".join(str(part) for part in each.get("path") or [])
        if re.search(r"\bafter\b", f"{message} {path}") and not message.lower().startswith("invalid cursor"):
            return True
    return False


def _groups(groups: list[Any]) -> list[CredentialGroup]:
    return [CredentialGroup.from_json(group) for group in groups if group is not None]
