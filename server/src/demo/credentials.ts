import { HOUR, MINUTE } from '../clock.ts'
import type { CredentialRecord } from '../ingest/records.ts'

export interface DemoCredential {
  id: string
  name: string
  description: string
  credType: 'TWITTER' | 'DISCORD' | 'EVM_ADDRESS' | 'SOLANA_ADDRESS' | 'GITHUB' | 'EMAIL'
  credSource: string
  chain?: string
  referenceLink?: string
  curatorSpaceId: number
  holders: number
  syncing?: boolean
}

/** Named by the quests of the demo. */
export const GENESIS = '312969464'
export const FOLLOWS_MERIDIAN = '312970101'
export const MERIDIAN_DISCORD = '312970102'
export const SHARED_LAUNCH = '312970103'
export const LIKED_LAUNCH = '312970104'
export const EXPLORER_NFT = '312971200'
export const MRD_HOLDER = '312971201'
export const BRIDGED_THRICE = '293847562910384756'
export const BRIDGE_QUIZ = '312971300'
export const GOVERNANCE_VOTER = '312971400'
export const DOCS_VISITOR = '312971500'
export const TESTNET_FEEDBACK = '312971501'
export const LIQUIDITY = '312971600'
export const LUMEN_BETA = '408112233'
export const LUMEN_TRANSLATORS = '408112234'
export const LUMEN_CODE = '408112235'
export const LUMEN_NEWSLETTER = '408112236'
export const ARENA_RANKED = '409550010'
export const ARENA_SKIN = '409550011'
export const NORTHWIND_VOTER = '411000021'
export const STATION_KEEPER = '411000022'
export const ORCHARD_TREE = '412777001'
export const SOLANA_READER = '415000301'
export const VENUE_CREW = '418000001'

export const credentials: readonly DemoCredential[] = [
  {
    id: GENESIS,
    name: 'Meridian Genesis Bridger',
    description:
      'Bridged at least 0.05 ETH before the public launch, according to the snapshot of the genesis contract.',
    credType: 'EVM_ADDRESS',
    credSource: 'CSV',
    chain: 'ETHEREUM',
    referenceLink: 'https://meridian.example/genesis',
    curatorSpaceId: 40,
    holders: 4_210,
  },
  {
    id: FOLLOWS_MERIDIAN,
    name: 'Follow Meridian on X',
    description: 'Follows the account of Meridian Protocol.',
    credType: 'TWITTER',
    credSource: 'TWITTER_FOLLOW',
    referenceLink: 'https://x.com/meridian_example',
    curatorSpaceId: 40,
    holders: 2_900,
  },
  {
    id: MERIDIAN_DISCORD,
    name: 'Member of the Meridian server',
    description: 'Joined the Discord server and passed the door.',
    credType: 'DISCORD',
    credSource: 'DISCORD_MEMBER',
    referenceLink: 'https://discord.example/meridian',
    curatorSpaceId: 40,
    holders: 2_350,
  },
  {
    id: SHARED_LAUNCH,
    name: 'Shared the launch post',
    description: 'Reposted the announcement of season 2.',
    credType: 'TWITTER',
    credSource: 'TWITTER_RT',
    curatorSpaceId: 40,
    holders: 940,
  },
  {
    id: LIKED_LAUNCH,
    name: 'Liked the launch post',
    description: 'Liked the announcement of season 2.',
    credType: 'TWITTER',
    credSource: 'TWITTER_LIKE',
    curatorSpaceId: 40,
    holders: 1_730,
  },
  {
    id: EXPLORER_NFT,
    name: 'Explorer Pass holder',
    description: 'Holds an Explorer Pass of season 1 or 2.',
    credType: 'EVM_ADDRESS',
    credSource: 'CONTRACT_NFT_HOLDER',
    chain: 'BASE',
    referenceLink: 'https://basescan.example/token/explorer-pass',
    curatorSpaceId: 40,
    holders: 1_320,
  },
  {
    id: MRD_HOLDER,
    name: '100 MRD or more',
    description: 'Holds at least 100 MRD. Balances are read again every ten minutes.',
    credType: 'EVM_ADDRESS',
    credSource: 'WALLET_BALANCE',
    chain: 'ETHEREUM',
    curatorSpaceId: 40,
    holders: 3_080,
    syncing: true,
  },
  {
    id: BRIDGED_THRICE,
    name: 'Bridged three times in a month',
    description: 'Counted by the subgraph of the bridge contracts.',
    credType: 'EVM_ADDRESS',
    credSource: 'SUBGRAPH',
    chain: 'ARBITRUM',
    referenceLink: 'https://graph.example/subgraphs/meridian-bridge',
    curatorSpaceId: 40,
    holders: 1_890,
  },
  {
    id: BRIDGE_QUIZ,
    name: 'Passed the bridge safety quiz',
    description: 'Eight of ten questions answered right.',
    credType: 'EVM_ADDRESS',
    credSource: 'QUIZ',
    curatorSpaceId: 40,
    holders: 1_460,
  },
  {
    id: GOVERNANCE_VOTER,
    name: 'Voted on MIP-7',
    description: 'Cast a vote in the proposal about relayer fees.',
    credType: 'EVM_ADDRESS',
    credSource: 'SNAPSHOT_ORG',
    referenceLink: 'https://snapshot.example/meridian/mip-7',
    curatorSpaceId: 40,
    holders: 610,
  },
  {
    id: DOCS_VISITOR,
    name: 'Read the route guide',
    description: 'Opened the guide to choosing a route.',
    credType: 'EVM_ADDRESS',
    credSource: 'VISIT_LINK',
    referenceLink: 'https://docs.meridian.example/routes',
    curatorSpaceId: 40,
    holders: 2_120,
  },
  {
    id: TESTNET_FEEDBACK,
    name: 'Testnet survey',
    description: 'Answered the survey after the testnet.',
    credType: 'EVM_ADDRESS',
    credSource: 'SURVEY',
    curatorSpaceId: 40,
    holders: 380,
  },
  {
    id: LIQUIDITY,
    name: 'Liquidity provider',
    description: 'Has provided liquidity to any pool for seven days or more.',
    credType: 'EVM_ADDRESS',
    credSource: 'GRAPHQL',
    chain: 'OPTIMISM',
    curatorSpaceId: 40,
    holders: 720,
  },
  {
    id: LUMEN_BETA,
    name: 'Lumen beta tester',
    description: 'Opened the beta on three different days.',
    credType: 'EVM_ADDRESS',
    credSource: 'API',
    curatorSpaceId: 41,
    holders: 530,
  },
  {
    id: LUMEN_TRANSLATORS,
    name: 'Lumen translators',
    description: 'Translated at least ten strings; the list is kept by the language leads.',
    credType: 'EVM_ADDRESS',
    credSource: 'GOOGLE_SHEET',
    curatorSpaceId: 41,
    holders: 64,
  },
  {
    id: LUMEN_CODE,
    name: 'Contributor of lumen/wallet',
    description: 'Has a merged pull request.',
    credType: 'GITHUB',
    credSource: 'GITHUB_CONTRIBUTOR',
    referenceLink: 'https://code.example/lumen/wallet',
    curatorSpaceId: 41,
    holders: 87,
  },
  {
    id: LUMEN_NEWSLETTER,
    name: 'Lumen newsletter',
    description: 'Subscribed and confirmed.',
    credType: 'EMAIL',
    credSource: 'CSV',
    curatorSpaceId: 41,
    holders: 410,
  },
  {
    id: ARENA_RANKED,
    name: 'Played ten ranked matches',
    description: 'Reported by the game server.',
    credType: 'EVM_ADDRESS',
    credSource: 'REST',
    curatorSpaceId: 42,
    holders: 395,
  },
  {
    id: ARENA_SKIN,
    name: 'Owner of a founder skin',
    description: 'Holds one of the 250 skins of the first forge.',
    credType: 'EVM_ADDRESS',
    credSource: 'CONTRACT_NFT_HOLDER',
    chain: 'POLYGON',
    curatorSpaceId: 42,
    holders: 250,
  },
  {
    id: NORTHWIND_VOTER,
    name: 'Voted in Northwind season 4',
    description: 'Any vote of the season counts.',
    credType: 'EVM_ADDRESS',
    credSource: 'SNAPSHOT_ORG',
    curatorSpaceId: 43,
    holders: 210,
  },
  {
    id: STATION_KEEPER,
    name: 'Station keeper',
    description: 'Runs a weather station that reported this week.',
    credType: 'EVM_ADDRESS',
    credSource: 'API',
    curatorSpaceId: 43,
    holders: 58,
  },
  {
    id: ORCHARD_TREE,
    name: 'Owner of an orchard tree',
    description: 'Holds a tree of any moon.',
    credType: 'EVM_ADDRESS',
    credSource: 'CONTRACT_NFT_HOLDER',
    chain: 'ETHEREUM',
    curatorSpaceId: 44,
    holders: 96,
  },
  {
    id: SOLANA_READER,
    name: 'Tidepool reader',
    description: 'Holds the token that each reading session hands out.',
    credType: 'SOLANA_ADDRESS',
    credSource: 'WALLET_BALANCE',
    chain: 'SOLANA',
    curatorSpaceId: 46,
    holders: 140,
  },
  {
    id: VENUE_CREW,
    name: 'Crew of the spring tour',
    description: 'Named by the venues.',
    credType: 'EVM_ADDRESS',
    credSource: 'CSV',
    curatorSpaceId: 48,
    holders: 19,
  },
]

export function* credentialRecords(now: number): Generator<CredentialRecord> {
  for (const [index, { holders, syncing, ...record }] of credentials.entries())
    yield {
      ...record,
      syncStatus: syncing ? 'SYNCING' : 'SYNCED',
      // The longer a list, the longer ago somebody was added last.
      lastUpdate: new Date(now - Math.ceil(holders / 40) * HOUR),
      lastSync: new Date(now - (syncing ? 3 * HOUR : (7 + 3 * index) * MINUTE)),
    }
}
