import { DAY } from '../clock.ts'
import type { SpaceRecord, SprintRecord } from '../ingest/records.ts'

/** A space of the demo, with how many people stand on its board. */
interface DemoSpace {
  id: number
  name: string
  description: string
  members: number
  /** Who owns it; the partner's private quests are hidden from the demo account's token. */
  owner: 'demo' | 'partner'
}

export const spaces: readonly DemoSpace[] = [
  {
    id: 40,
    name: 'Meridian Protocol',
    description:
      'Meridian moves liquidity between chains. Explorers bridge, test, write and teach; every contribution earns loyalty points that count towards the season rewards.',
    members: 5_500,
    owner: 'demo',
  },
  {
    id: 41,
    name: 'Lumen Wallet',
    description: 'A self-custody wallet made in the open. Test releases, translate, report bugs, and climb the board.',
    members: 1_240,
    owner: 'demo',
  },
  {
    id: 42,
    name: 'Foundry Games',
    description: 'On-chain games by a studio of eleven. Play the alpha, find the exploits before others do, win skins.',
    members: 860,
    owner: 'demo',
  },
  {
    id: 43,
    name: 'Northwind DAO',
    description: 'We fund weather stations and publish their data. Voters, station keepers and writers earn points.',
    members: 345,
    owner: 'demo',
  },
  {
    id: 44,
    name: 'Pixel Orchard',
    description: 'A small collective of pixel artists. One new tree is planted, and minted, every full moon.',
    members: 118,
    owner: 'demo',
  },
  {
    id: 45,
    name: "Cartographers' Guild",
    description: 'Maps of protocols: who calls whom, and why. Forty-odd people who like to draw boxes and arrows.',
    members: 46,
    owner: 'demo',
  },
  {
    id: 46,
    name: 'Tidepool Research',
    description: 'Reading group and small grants for research on Solana programs.',
    members: 12,
    owner: 'demo',
  },
  {
    id: 47,
    name: 'First Light',
    description: 'Opened this week. The first quest starts soon.',
    members: 0,
    owner: 'demo',
  },
  {
    id: 48,
    name: 'Backstage Pass',
    description: 'Ticketing for small venues. Some of its quests are for invited crews only.',
    members: 27,
    owner: 'partner',
  },
]

interface DemoSprint {
  spaceId: number
  sprintId: number
  name: string
  /** Days from the load time. */
  starts: number
  ends: number
  /** Share of the space's people who took part. */
  share: number
}

const sprints: readonly DemoSprint[] = [
  { spaceId: 40, sprintId: 1, name: 'Season 1: Crossing', starts: -95, ends: -35, share: 0.44 },
  { spaceId: 40, sprintId: 2, name: 'Season 2: Explorers', starts: -30, ends: 30, share: 0.36 },
  { spaceId: 42, sprintId: 1, name: 'Alpha cup', starts: -12, ends: 9, share: 0.5 },
]

export function sprintsOf(spaceId: number): DemoSprint[] {
  return sprints.filter((sprint) => sprint.spaceId === spaceId)
}

export function* spaceRecords(): Generator<SpaceRecord> {
  for (const { id, name, description } of spaces) yield { spaceId: id, name, description }
}

export function* sprintRecords(now: number): Generator<SprintRecord> {
  for (const { spaceId, sprintId, name, starts, ends } of sprints)
    yield { spaceId, sprintId, name, startTime: new Date(now + starts * DAY), endTime: new Date(now + ends * DAY) }
}
