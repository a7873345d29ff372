"""Rules that clients evaluate themselves, because no field has the result, as pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Protocol

from .models import CredentialCondition


@dataclass(frozen=True)
class Reason:
    code: str
    message: str
    """English text for users."""


@dataclass(frozen=True)
class Verdict:
    """Whether a rule is met, with all reasons if not."""

    reasons: tuple[Reason, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.reasons


class ParticipationFacts(Protocol):
    """The inputs of the participation rule, such as a `QuestInfo`."""

    @property
    def status(self) -> str: ...
    @property
    def participants_count(self) -> int: ...
    @property
    def cap(self) -> int: ...
    @property
    def start_time(self) -> int | None: ...
    @property
    def end_time(self) -> int | None: ...


class GroupFacts(Protocol):
    """The inputs of the group rule, such as a `CredentialGroup`."""

    @property
    def condition_relation(self) -> str: ...
    @property
    def conditions(self) -> Sequence[CredentialCondition]: ...


def quest_accepts_participation(quest: ParticipationFacts, now: datetime) -> Verdict:
    """
    Whether a quest accepts participation: its status is `Active`, its cap is not reached (0 or less: unlimited), and
    `now` is in its period, from `start_time` (inclusive) to `end_time` (exclusive). `now` has a time zone.
    """
    if now.tzinfo is None:
        raise ValueError("now must have a time zone, such as datetime.now(timezone.utc)")
    start = -math.inf if quest.start_time is None else quest.start_time
    end = math.inf if quest.end_time is None else quest.end_time
    at = now.timestamp()
    return _verdict(
        (quest.status != "Active", "not_active", f"The quest is not active; its status is {quest.status}"),
        (
            # Other servers return null for an unlimited quest.
            (quest.cap or 0) > 0 and quest.participants_count >= quest.cap,
            "cap_reached",
            f"All {quest.cap} places are taken",
        ),
        (at < start, "not_started", f"The quest starts at {_iso(start)}"),
        (at >= end, "ended", f"The quest ended at {_iso(end)}"),
    )


def group_met(group: GroupFacts) -> Verdict:
    """
    Whether the address meets a group. `ALL`: all conditions must be met; a group without conditions is met. `ANY`: at
    least one must be met. For `ALL`, each unmet condition is a reason.
    """
    failing = [condition for condition in group.conditions if condition.eligible is not True]
    if group.condition_relation == "ALL":
        return _verdict(
            *((True, "condition_not_met", f"Not met: {condition.expression}") for condition in failing)
        )
    if group.condition_relation == "ANY":
        expressions = "; ".join(condition.expression for condition in group.conditions)
        message = f"None of these is met: {expressions}" if expressions else "The group has no conditions"
        return _verdict((len(failing) == len(group.conditions), "no_condition_met", message))
    message = f"The relation {group.condition_relation} is not ALL or ANY"
    return _verdict((True, "unknown_relation", message))


def eligibility_reliable(sync_status: str) -> Verdict:
    """Whether an eligibility is reliable: only if the credential is `SYNCED`."""
    message = f"The list of holders may be stale; its status is {sync_status}"
    return _verdict((sync_status != "SYNCED", "not_synced", message))


def _verdict(*checks: tuple[bool, str, str]) -> Verdict:
    return Verdict(tuple(Reason(code, message) for applies, code, message in checks if applies))


def _iso(time: float) -> str:
    if not math.isfinite(time):
        return ""
    return datetime.fromtimestamp(time, timezone.utc).isoformat().replace("+00:00", "Z")
