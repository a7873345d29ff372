from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import invalid_response
from .models import SyncStatus
from .rules import Verdict, eligibility_reliable


@dataclass(frozen=True)
class Eligibility:
    """Whether an address holds a credential, and whether the result is reliable."""

    eligible: bool
    sync_status: SyncStatus
    reliable: Verdict
    """Whether the result is reliable, and why not."""


def batch_document(count: int) -> str:
    """One document per number of addresses, so that the service finds its compiled form."""
    variables = " ".join(f"$a{n}:String!" for n in range(count))
    fields = " ".join(f"a{n}:eligible(address:$a{n},campaignId:$campaignId)" for n in range(count))
    return (
        f"query eligibilityOf($credId:ID!,$campaignId:ID {variables})"
        f"{{credential(id:$credId){{syncStatus {fields}}}}}"
    )


def read_eligibility(credential: Mapping[str, Any], field: str) -> Eligibility:
    eligible, sync_status = credential.get(field), credential.get("syncStatus")
    if eligible is None or not isinstance(sync_status, str):
        raise invalid_response("The response does not say whether the address is eligible")
    return Eligibility(eligible == 1, sync_status, eligibility_reliable(sync_status))
