import { canonicalEvmAddress } from '../../addresses/addresses.ts'
import { noteSampleChanges } from '../../ranking/starboards/changes.queries.ts'
import { reopenHistory } from '../../ranking/starboards/history.queries.ts'
import { count, decimal, flag, integer, oneOf, shaped, text, time } from '../fields.ts'
import type { Kind } from '../kind.ts'
import { newsOf, upsertStaged, type UpsertTarget } from '../upsert.queries.ts'
import { starboardMustExist, userMustExist } from './rules.queries.ts'
import { slug } from './starboards.ts'
import { addMissingUsers, mergeLinks, newLinks, stagedStarboards, stagedUsers } from './x-users.queries.ts'

const zero = { fallback: '0' }
const empty = { fallback: '' }

/** A username on X, with or without "@"; the case is kept. */
const username = (column: string) =>
  shaped(column, 'a name on X: 1 to 50 letters, digits or "_", with or without "@"', 'x_name', (value) => {
    const bare = value.replace(/^@/, '')
    return /^\w{1,50}$/.test(bare) ? bare : undefined
  })

const userFields = {
  starboardId: slug('starboard_id'),
  username: username('username'),
  userId: shaped('user_id', 'text of at most 50 characters', 'x_id', (id) => (id.length <= 50 ? id : undefined), empty),
  name: text('name', 200, empty),
  profileImageUrl: text('profile_image_url', 500, empty),
  followersCount: count('followers_count', zero),
  verifiedType: oneOf('verified_type', ['blue', 'business', 'government', 'none'], { fallback: 'none' }),
  isPublic: flag('is_public', { fallback: 'true' }),
}
const handleOf = (column: string) => ({ handle: `text COLLATE "C" GENERATED ALWAYS AS (lower(${column})) STORED` })

const userTarget: UpsertTarget = { table: 'starboard_users', key: ['starboard_id', 'handle'], fields: userFields }

export const users: Kind = {
  fields: userFields,
  derived: handleOf('username'),
  key: { field: 'username', columns: ['starboard_id', 'handle'] },
  rules: [starboardMustExist],
  tables: ['starboard_users'],
  news: newsOf(userTarget),
  merge: (trx, { staging }) => upsertStaged(trx, staging, userTarget),
}

const sampleFields = {
  starboardId: slug('starboard_id'),
  handle: username('username'),
  sampledAt: time('sampled_at'),
  score: decimal('score'),
  individual: integer('individual', -2_147_483_648, 2_147_483_647, zero),
  aura: integer('aura', -2_147_483_648, 2_147_483_647, zero),
}

const sampleTarget: UpsertTarget = {
  table: 'score_samples',
  key: ['starboard_id', 'handle', 'sampled_at'],
  fields: sampleFields,
  notStored: ['username'],
}

export const samples: Kind = {
  fields: sampleFields,
  derived: handleOf('username'),
  key: { field: 'sampledAt', columns: ['starboard_id', 'handle', 'sampled_at'] },
  rules: [starboardMustExist],
  tables: ['score_samples', 'starboard_users'],
  news: newsOf(sampleTarget),
  async merge(trx, { staging }) {
    await addMissingUsers(trx)
    const counts = await upsertStaged(trx, staging, sampleTarget)
    if (counts.added + counts.changed > 0) {
      for (const { id, earliest } of await stagedStarboards(trx)) await reopenHistory(trx, id, earliest)
      await noteSampleChanges(trx, stagedUsers)
    }
    return counts
  },
}

export const links: Kind = {
  fields: {
    starboardId: slug('starboard_id'),
    evmAddress: shaped('evm_address', 'an EVM address: 0x and 40 hex digits', 'evm_address', canonicalEvmAddress),
    handle: username('username'),
  },
  derived: handleOf('username'),
  key: { field: 'evmAddress', columns: ['starboard_id', 'evm_address'] },
  rules: [starboardMustExist, userMustExist],
  tables: ['starboard_links'],
  news: newLinks,
  merge: (trx, { staging }) => mergeLinks(trx, staging),
}
