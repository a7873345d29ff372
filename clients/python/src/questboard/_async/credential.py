from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import _documents as documents
from .._answers import found_object, parsed
from .._eligibility import Eligibility, batch_document, read_eligibility
from .._ids import batches_of, id_text
from ..models import CredentialInfo
from .connection import AsyncConnection

NOT_FOUND = "Credential not found"


class AsyncCredentialReader:
    """Reads one credential. All methods raise NotFoundError if it does not exist."""

    def __init__(self, connection: AsyncConnection, id: str | int) -> None:
        self._connection = connection
        self.id = id_text(id)

    async def info(self, *, fresh: bool = False) -> CredentialInfo:
        """Every field of the credential."""
        return parsed(CredentialInfo.from_json, await self._ask(documents.CREDENTIAL, {}, fresh))

    async def eligible(
        self, address: str, *, campaign_id: str | None = None, fresh: bool = False
    ) -> bool:
        """Whether the address holds the credential; `eligibility` also returns whether that is reliable."""
        return (await self.eligibility(address, campaign_id=campaign_id, fresh=fresh)).eligible

    async def eligibility(
        self, address: str, *, campaign_id: str | None = None, fresh: bool = False
    ) -> Eligibility:
        """
        Whether the address holds the credential, with the sync status of the list. `campaign_id` is a quest for which
        the eligibility is queried.
        """
        variables = {"address": address, "campaignId": campaign_id}
        credential = await self._ask(documents.ELIGIBLE, variables, fresh)
        return read_eligibility(credential, "eligible")

    async def eligibility_of(
        self, addresses: Iterable[str], *, campaign_id: str | None = None, fresh: bool = False
    ) -> dict[str, Eligibility]:
        """
        Checks many addresses, 100 per request. The keys are the given addresses. If the service rejects an address,
        the call fails, and `errors` of the error has its position.
        """
        answers: dict[str, Eligibility] = {}
        for batch in batches_of(addresses):
            given = {f"a{n}": address for n, address in enumerate(batch)}
            variables = {"campaignId": campaign_id, **given}
            credential = await self._ask(batch_document(len(batch)), variables, fresh)
            for n, address in enumerate(batch):
                answers[address] = read_eligibility(credential, f"a{n}")
        return answers

    async def _ask(self, document: str, variables: dict[str, Any], fresh: bool) -> Any:
        lifetime = self._connection.cache.eligibility
        data = await self._connection.ask(document, {"credId": self.id, **variables}, lifetime, fresh)
        return found_object(data.get("credential"), NOT_FOUND)
