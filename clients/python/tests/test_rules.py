from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone

import pytest

from questboard import eligibility_reliable, group_met, quest_accepts_participation
from questboard.models import CredentialCondition, CredentialGroup

NOW = datetime(2026, 11, 21, 12, tzinfo=timezone.utc)
SECONDS = int(NOW.timestamp())


@dataclass
class Quest:
    status: str = "Active"
    participants_count: int = 0
    cap: int = 0
    start_time: int | None = None
    end_time: int | None = None


@pytest.mark.parametrize(
    ("quest", "codes"),
    [
        (Quest(), []),
        (Quest(status="Paused"), ["not_active"]),
        (Quest(participants_count=5, cap=5), ["cap_reached"]),
        (Quest(participants_count=5, cap=-1), []),
        (Quest(start_time=SECONDS), []),
        (Quest(start_time=SECONDS + 1), ["not_started"]),
        (Quest(end_time=SECONDS), ["ended"]),
        (Quest(end_time=SECONDS + 1), []),
        (Quest("Expired", 9, 9, None, SECONDS - 1), ["not_active", "cap_reached", "ended"]),
    ],
)
def test_a_quest_accepts_participation(quest: Quest, codes: list[str]) -> None:
    verdict = quest_accepts_participation(quest, NOW)
    assert [reason.code for reason in verdict.reasons] == codes
    assert verdict.ok == (codes == [])


def test_the_time_needs_a_time_zone() -> None:
    with pytest.raises(ValueError, match="time zone"):
        quest_accepts_participation(Quest(), datetime(2026, 11, 21))


@pytest.mark.parametrize(
    ("relation", "eligible", "codes"),
    [
        ("ALL", [], []),
        ("ALL", [True, True], []),
        ("ALL", [True, False, False], ["condition_not_met", "condition_not_met"]),
        ("ANY", [], ["no_condition_met"]),
        ("ANY", [False, True], []),
        ("ANY", [False, False], ["no_condition_met"]),
        ("SOME", [True], ["unknown_relation"]),
    ],
)
def test_a_group_is_met(relation: str, eligible: list[bool], codes: list[str]) -> None:
    conditions = [CredentialCondition(f"c{n}", each) for n, each in enumerate(eligible)]
    group = CredentialGroup("1", "Group", relation, conditions, [])
    assert [reason.code for reason in group_met(group).reasons] == codes


def test_an_eligibility_is_reliable_if_the_list_is_synced() -> None:
    assert eligibility_reliable("SYNCED").ok
    assert [reason.code for reason in eligibility_reliable("PAUSED").reasons] == ["not_synced"]
