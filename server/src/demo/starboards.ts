import { DAY } from '../clock.ts'
import type { StarboardRecord } from '../ingest/records.ts'

export interface DemoStarboard {
  id: string
  users: number
  /** What the best user scores, about. */
  topScore: number
  /** Chance of a user of X to be tracked here. */
  share: number
  /** Only those whose wallet is known. */
  onlyLinked: boolean
}

export const starboards: readonly DemoStarboard[] = [
  { id: '1', users: 2_000, topScore: 48_000, share: 1, onlyLinked: false },
  { id: '2', users: 300, topScore: 9_400, share: 0.31, onlyLinked: true },
  { id: '3', users: 120, topScore: 2_150, share: 0.09, onlyLinked: false },
]

export function* starboardRecords(now: number): Generator<StarboardRecord> {
  yield {
    id: '1',
    name: 'Meridian Voices',
    projectName: 'Meridian Protocol',
    description: 'Who explains Meridian best on X: reach, replies and the company they keep, measured every day.',
    tags: ['defi', 'bridges', 'creators'],
    type: 'TWITTER',
    rewardName: '50,000 MRD for the top 100',
    rewardDescription:
      'Shared among the first hundred at the end of the season, in proportion to their influence score.',
    rewardStartTime: new Date(now - 24 * DAY),
    rewardEndTime: new Date(now + 21 * DAY),
  }
  yield {
    id: '2',
    name: 'Meridian On-chain',
    projectName: 'Meridian Protocol',
    description: 'Volume bridged, pools served and days active, of wallets whose owners are known on X.',
    tags: ['defi', 'on-chain'],
    type: 'ONCHAIN',
    rewardName: 'Fee rebate, tier 1 to 3',
    rewardDescription: 'The first 10, 50 and 150 get 50, 25 and 10 percent of their fees back.',
    rewardStartTime: new Date(now - 40 * DAY),
    rewardEndTime: new Date(now + 50 * DAY),
  }
  yield {
    id: '3',
    name: 'Friends of the Orchard',
    projectName: 'Pixel Orchard',
    description: 'People who share our trees. No prize, only thanks.',
    tags: ['art', 'nft'],
    type: 'TWITTER',
  }
}
