import {
  ARENA_RANKED,
  ARENA_SKIN,
  BRIDGE_QUIZ,
  BRIDGED_THRICE,
  credentials,
  DOCS_VISITOR,
  EXPLORER_NFT,
  FOLLOWS_MERIDIAN,
  GENESIS,
  GOVERNANCE_VOTER,
  LIKED_LAUNCH,
  LIQUIDITY,
  LUMEN_BETA,
  LUMEN_CODE,
  LUMEN_NEWSLETTER,
  LUMEN_TRANSLATORS,
  MERIDIAN_DISCORD,
  MRD_HOLDER,
  NORTHWIND_VOTER,
  ORCHARD_TREE,
  SHARED_LAUNCH,
  SOLANA_READER,
  STATION_KEEPER,
  TESTNET_FEEDBACK,
  VENUE_CREW,
} from './credentials.ts'
import { EXAMPLE_QUESTS, type QuestText } from './quest-texts.ts'

interface DemoReward {
  expression: string
  rewardType: string
  rewardCount: number
}

interface DemoGroup {
  name: string
  conditionRelation: 'ALL' | 'ANY'
  conditions: { expression: string; credentialId: string }[]
  rewards: DemoReward[]
}

/** What a space's quests ask for. */
const asked: Readonly<Record<number, readonly string[]>> = {
  40: [
    GENESIS,
    BRIDGED_THRICE,
    EXPLORER_NFT,
    MRD_HOLDER,
    BRIDGE_QUIZ,
    GOVERNANCE_VOTER,
    DOCS_VISITOR,
    LIQUIDITY,
    TESTNET_FEEDBACK,
  ],
  41: [LUMEN_BETA, LUMEN_TRANSLATORS, LUMEN_CODE, LUMEN_NEWSLETTER],
  42: [ARENA_RANKED, ARENA_SKIN],
  43: [NORTHWIND_VOTER, STATION_KEEPER],
  44: [ORCHARD_TREE],
  45: [GOVERNANCE_VOTER, NORTHWIND_VOTER],
  46: [SOLANA_READER],
  47: [GENESIS],
  48: [VENUE_CREW],
}

/** The credential groups of a quest: its own when it is the example, else one or two that suit its space and type. */
export function groupsOf(spaceId: number, text: QuestText): DemoGroup[] {
  if (text.id === EXAMPLE_QUESTS.active) return exampleGroups
  const choices = asked[spaceId] ?? []
  // The title decides, so that the choice does not move when a quest is added.
  const start = [...text.name].reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0)
  const first = choices[start % choices.length] as string
  const second = choices[(start + 1) % choices.length] as string
  const groups = [
    group('Requirements', start % 3 === 0 ? 'ANY' : 'ALL', [...new Set([first, second])], [rewardOf(text)]),
  ]
  if (spaceId === 40 && text.type === 'Points')
    groups.push(
      group(
        'Bonus',
        'ANY',
        [SHARED_LAUNCH, LIKED_LAUNCH],
        [{ expression: 'Bonus points', rewardType: 'LOYALTYPOINTS', rewardCount: 5 }],
      ),
    )
  return groups
}

function group(name: string, conditionRelation: 'ALL' | 'ANY', ids: string[], rewards: DemoReward[]): DemoGroup {
  return { name, conditionRelation, conditions: ids.map(condition), rewards }
}

function condition(credentialId: string): DemoGroup['conditions'][number] {
  const found = credentials.find((credential) => credential.id === credentialId)
  if (!found) throw new Error(`the demo has no credential ${credentialId}`)
  return { expression: found.name, credentialId }
}

function rewardOf({ type }: QuestText): DemoReward {
  switch (type) {
    case 'Drop':
      return { expression: 'Commemorative badge', rewardType: 'OAT', rewardCount: 1 }
    case 'MysteryBox':
      return { expression: 'One mystery box', rewardType: 'LOYALTYPOINTSMYSTERYBOX', rewardCount: 1 }
    case 'Airdrop':
      return { expression: 'Share of the pot', rewardType: 'TOKEN', rewardCount: 25 }
    case 'Points':
      return { expression: 'Loyalty points', rewardType: 'LOYALTYPOINTS', rewardCount: 25 }
    case 'ExternalLink':
      return { expression: 'A role on the server', rewardType: 'DISCORDROLE', rewardCount: 1 }
    case 'Bounty':
      return { expression: 'Paid on acceptance', rewardType: 'CUSTOM', rewardCount: 1 }
  }
}

const exampleGroups: DemoGroup[] = [
  group(
    'Join the community',
    'ANY',
    [FOLLOWS_MERIDIAN, MERIDIAN_DISCORD, SHARED_LAUNCH],
    [
      { expression: '25 loyalty points', rewardType: 'LOYALTYPOINTS', rewardCount: 25 },
      { expression: 'Role: Explorer', rewardType: 'DISCORDROLE', rewardCount: 1 },
    ],
  ),
  group(
    'Prove your history',
    'ALL',
    [GENESIS, BRIDGED_THRICE],
    [
      { expression: 'Explorer Pass', rewardType: 'NFT', rewardCount: 1 },
      { expression: 'Place on the mint list of the next chain', rewardType: 'MINTLIST', rewardCount: 2 },
      { expression: '250 loyalty points', rewardType: 'LOYALTYPOINTS', rewardCount: 250 },
    ],
  ),
]
