from __future__ import annotations

from datetime import datetime, timezone

import pytest

from questboard import NotFoundError, quest_accepts_participation
from questboard.models import Sprint, StarboardReward, TwitterHandleByEvmAddress

from ..world import address, world
from .support import client_of


async def test_basic_info_returns_the_properties_of_a_starboard() -> None:
    async with client_of() as questboard:
        info = await questboard.starboard(world().starboard).basic_info()
    assert (info.name, info.project_name, info.tags, info.type) == ("Voices", "Forty", ["first"], "TWITTER")
    assert info.reward == StarboardReward("Fame", "", None, None)


async def test_leaderboard_returns_the_requested_page() -> None:
    async with client_of() as questboard:
        starboard = questboard.starboard(int(world().starboard))
        first = await starboard.leaderboard(first=2)
        names = [edge.node.x_user_profile.username for edge in first.edges]
        assert names == ["user1", "user2"]
        node = first.edges[0].node
        assert (node.x_user_profile.followers_count, node.x_user_profile.verified_type) == (12, "blue")
        assert (node.rank.value, node.influence_score.value) == ("1", "1000")
        assert isinstance(node.change_24h.delta_rate, (int, float)) and isinstance(node.change_7d.value, str)
        second = await starboard.leaderboard(first=1, after=first.page_info.end_cursor)
        assert second.edges[0].node.rank.value == "3"


async def test_users_iterates_over_the_whole_ranking() -> None:
    async with client_of() as questboard:
        ranks = [int(user.rank.value) async for user in questboard.starboard(world().starboard).users()]
    assert ranks == list(range(1, world().users + 1))


async def test_user_returns_one_user_or_none() -> None:
    async with client_of() as questboard:
        starboard = questboard.starboard(world().starboard)
        user = await starboard.user("@USER3")
        assert user is not None and user.rank.value == "3"
        assert await starboard.user("nobody") is None


async def test_the_user_of_an_address_or_none() -> None:
    async with client_of() as questboard:
        starboard = questboard.starboard(world().starboard)
        holder = world().holder
        handle = await starboard.twitter_handle_by_evm_address(holder)
        assert handle == TwitterHandleByEvmAddress(holder, holder, "user1", True)
        detail = await starboard.user_detail(holder)
        assert detail is not None and (detail.individual, detail.aura) == (5, 7)
        assert await starboard.twitter_handle_by_evm_address(address(99)) is None
        assert await starboard.user_detail(address(99)) is None


async def test_space_info_and_pages_of_its_board() -> None:
    async with client_of() as questboard:
        space = questboard.space("40")
        info = await space.info()
        assert (info.id, info.name, info.description) == ("40", "Forty", "The fortieth")
        first = await space.loyalty_points_ranks()
        assert first.total_count == world().members
        member = first.list[0]
        assert (member.rank, member.points) == (1, 9_990)
        assert member.address is not None and member.address.username == "member1"
        second = await space.loyalty_points_ranks(cursor_after=first.page_info.end_cursor)
        assert second.list[0].rank == 51
        before = await space.loyalty_points_ranks(cursor_before=first.page_info.end_cursor)
        assert [each.rank for each in before.list] == [each.rank for each in first.list[:-1]]
        assert (await questboard.space_loyalty_points_ranks(40)).list == first.list
        with pytest.raises(ValueError, match="exclude each other"):
            await space.loyalty_points_ranks(cursor_after="a", cursor_before="b")


async def test_members_iterates_over_the_whole_board_or_over_one_sprint() -> None:
    async with client_of() as questboard:
        ranks = [member.rank async for member in questboard.space(40).members()]
        assert ranks == list(range(1, world().members + 1))
        sprint = [member.points async for member in questboard.space(40).members(sprint_id=2)]
        assert sprint == [9]


async def test_find_rank_reads_pages_until_it_finds_the_address() -> None:
    async with client_of() as questboard:
        search = await questboard.space(40).find_rank(f"EVM:{address(60).upper().replace('X', 'x')}")
        assert search.found and search.member is not None and search.member.rank == 60
        assert search.pages_read == 2
        stopped = await questboard.space(40).find_rank(address(60), max_pages=1)
        assert (stopped.found, stopped.complete) == (False, False)
        missing = await questboard.space(40).find_rank(address(9_999))
        assert (missing.found, missing.complete, missing.pages_read) == (False, True, 3)


async def test_ranks_of_members_in_batches() -> None:
    async with client_of() as questboard:
        space = questboard.space(40)
        member = await space.rank_of(address(7))
        assert member is not None and (member.rank, member.points, member.total_count) == (7, 9_930, 130)
        assert await space.rank_of(address(7), sprint_id=2) is None
        wanted = [address(n) for n in range(1, 221)]
        ranks = await space.ranks_of([*wanted, address(1)])
        assert list(ranks) == wanted
        assert [each and each.rank for each in ranks.values()] == [*range(1, 131), *([None] * 90)]
        assert await space.ranks_of([]) == {}
        with pytest.raises(NotFoundError, match="Space not found"):
            await questboard.space(41).rank_of(address(7))


async def test_page_around_a_member() -> None:
    async with client_of() as questboard:
        page = await questboard.space(40).page_around(address(60), first=5)
        assert page is not None and page.page_info.has_previous_page
        assert [edge.node.rank for edge in page.edges] == [58, 59, 60, 61, 62]
        assert await questboard.space(40).page_around(address(9_999)) is None


async def test_sprints_and_history() -> None:
    async with client_of() as questboard:
        assert await questboard.space(40).sprints() == [Sprint(2, "Two", None, None)]
        history = [entry async for entry in questboard.space(40).points_history(address(3), sprint_id=2)]
        assert [(entry.amount, entry.sprint_id, entry.source) for entry in history] == [(9, 2, None)]
        assert [entry async for entry in questboard.space(40).points_history("nobody")] == []


async def test_credentials() -> None:
    async with client_of() as questboard:
        credential = questboard.credential(int(world().credential))
        info = await credential.info()
        assert (info.id, info.cred_type, info.item_count) == (world().credential, "EVM_ADDRESS", 1)
        assert info.curator_space is not None and info.curator_space.name == "Forty"
        assert await credential.eligible(world().holder)
        assert not await credential.eligible(address(2))
        assert await credential.eligible(world().holder, campaign_id="GCquest002")
        with pytest.raises(NotFoundError, match="Quest not found"):
            await credential.eligible(world().holder, campaign_id="GCnone")
        assert (await credential.eligibility(world().holder)).reliable.ok
        moving = await questboard.credential(2).eligibility(world().holder)
        assert [reason.code for reason in moving.reliable.reasons] == ["not_synced"]


async def test_eligibility_of_many_addresses() -> None:
    async with client_of() as questboard:
        credential = questboard.credential(world().credential)
        wanted = [world().holder, *(address(n) for n in range(1_000, 1_229))]
        answers = await credential.eligibility_of(wanted)
        assert list(answers) == wanted
        assert [each for each, answer in answers.items() if answer.eligible] == [world().holder]
        assert await credential.eligibility_of([]) == {}


async def test_quests() -> None:
    async with client_of() as questboard:
        info = await questboard.quest("GCquest002").info()
        assert (info.name, info.type, info.cap, info.space.name) == ("Quest 2", "Points", 100, "Forty")
        groups = await questboard.quest("GCquest002").credential_groups(world().holder)
        assert [group.condition_relation for group in groups] == ["ALL"]
        assert groups[0].conditions[0].eligible and groups[0].rewards[0].reward_count == 5
        ids = {quest.id async for quest in questboard.quests(space_id=40)}
        assert len(ids) == world().quests
        points = [quest async for quest in questboard.quests(space_id=40, types=["Points"], statuses=["Active"])]
        assert len(points) == 22
        newest = [quest.id async for quest in questboard.quests(space_id=40)]
        open_first = [quest.id async for quest in questboard.quests(space_id=40, order="OPEN_FIRST")]
        assert (newest[0], open_first[-1]) == ("GCquest001", "GCquest001")
        first = await questboard.quest_page(space_id=40, first=2)
        second = await questboard.quest_page(space_id=40, first=2, after=first.page_info.end_cursor)
        assert [quest.id for quest in second.list] == ["GCquest003", "GCquest004"]


async def test_any_document() -> None:
    async with client_of() as questboard:
        data = await questboard.query("query ($id: Int!) { space(id: $id) { name } }", {"id": 40})
        assert data == {"space": {"name": "Forty"}}
        document = "query A { space(id: 40) { name } } query B { space(id: 40) { id } }"
        assert await questboard.query(document, operation_name="B") == {"space": {"id": "40"}}


async def test_ids_that_are_not_exact_are_refused_before_sending() -> None:
    async with client_of() as questboard:
        with pytest.raises(TypeError, match="whole number"):
            questboard.credential(1.5)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="the space id must be a whole number"):
            questboard.space("forty")


async def test_foreign_servers_need_only_the_specification() -> None:
    async with client_of(base_url=world().specified_url) as questboard:
        assert (await questboard.starboard(1).basic_info()).type == "PODCAST"
        assert len([user async for user in questboard.starboard(1).users(first=2)]) == 3
        assert await questboard.starboard(1).user("eve") is None
        assert await questboard.starboard(1).twitter_handle_by_evm_address("0x1") is None
        assert [member.rank async for member in questboard.space(40).members()] == [1, 2]
        assert await questboard.credential(3).eligible("yes")
        assert (await questboard.credential(3).info()).cred_type == "PASSPORT"
        ids = [quest.id async for quest in questboard.quests(space_id=40)]
        assert ids == [f"GC{n}" for n in range(1, 31)]
        with pytest.raises(NotFoundError, match="Space not found"):
            await questboard.space(41).info()
        paused = await questboard.quest("GC1").info()
        verdict = quest_accepts_participation(paused, datetime.now(timezone.utc))
        assert [reason.code for reason in verdict.reasons] == ["not_active"]
