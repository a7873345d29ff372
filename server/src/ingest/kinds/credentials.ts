import { bigId, NOW, oneOf, optional, positive, text, time, webLink } from '../fields.ts'
import type { Kind } from '../kind.ts'
import { newsOf, upsertStaged, type UpsertTarget } from '../upsert.queries.ts'
import { spaceMustExist, webLinkIfChanged } from './rules.queries.ts'

const CRED_TYPES = ['TWITTER', 'DISCORD', 'EVM_ADDRESS', 'SOLANA_ADDRESS', 'GITHUB', 'EMAIL']
const CRED_SOURCES = [
  'TWITTER_FOLLOW',
  'DISCORD_MEMBER',
  'CONTRACT_NFT_HOLDER',
  'WALLET_BALANCE',
  'QUIZ',
  'API',
  'VISIT_LINK',
  'CSV',
  'REST',
  'GRAPHQL',
  'SUBGRAPH',
  'SNAPSHOT_ORG',
  'GITHUB_CONTRIBUTOR',
  'SURVEY',
  'TWITTER_RT',
  'TWITTER_LIKE',
  'GOOGLE_SHEET',
]

const fields = {
  id: bigId('credential_id'),
  name: text('name', 500),
  description: text('description', 10_000, { fallback: '' }),
  credType: oneOf('cred_type', CRED_TYPES),
  credSource: oneOf('cred_source', CRED_SOURCES),
  chain: text('chain', 50, optional),
  referenceLink: webLink('reference_link', 2000, { fallback: '' }),
  curatorSpaceId: positive('curator_space_id', optional),
  syncStatus: oneOf('sync_status', ['SYNCED', 'SYNCING'], { fallback: 'SYNCED' }),
  lastUpdate: time('last_update', { fallback: NOW }),
  lastSync: time('last_sync', { fallback: NOW }),
}

// The columns about the holder list are left out, because they do not change the credential itself.
const about = ['name', 'description', 'cred_type', 'cred_source', 'chain', 'reference_link', 'curator_space_id']
const touched = { column: 'last_update', by: about }
const target: UpsertTarget = { table: 'credentials', key: ['credential_id'], fields, touched }

export const credentials: Kind = {
  fields,
  key: { field: 'id', columns: ['credential_id'] },
  rules: [webLinkIfChanged(target, 'referenceLink'), spaceMustExist('curatorSpaceId', 'curator_space_id')],
  tables: ['credentials'],
  news: newsOf(target),
  merge: (trx, { staging }) => upsertStaged(trx, staging, target),
}
