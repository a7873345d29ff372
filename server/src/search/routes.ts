import type { FastifyInstance } from 'fastify'
import { isOperator } from '../accounts/account.queries.ts'
import { route } from '../api/route.ts'
import { cachedFor } from '../cache/cached-for.ts'
import { tooManyRequests } from '../errors.ts'
import { LARGEST_SPACES_LIFETIME } from '../lifetimes.ts'
import { searchesByAccount } from '../rate-limits/limits.ts'
import { countAttempt } from '../rate-limits/fixed-window.ts'
import type { Services } from '../services.ts'
import { findEditable } from './editable.queries.ts'
import { searchOperation } from './route-descriptions.ts'
import {
  findMembers,
  findNamed,
  findNames,
  findQuests,
  type FoundMember,
  largestSpaces,
  nameSpaces,
  ownSpaces,
} from './search.queries.ts'

/** The number of results of each kind. */
const MAX_RESULTS = 6
/** The number of spaces in which members are searched: one index lookup each. */
const MAX_OWN_SPACES = 10
const MAX_LARGE_SPACES = 20
/** Names that are looked up on the boards; some of them may be on none. */
const MAX_NAMES = 100
/** The number of best members of each board that are all checked. */
const MAX_BEST = 1_000
/** A shorter text begins too many addresses. */
const MIN_ADDRESS_BEGINNING = 4

/** `GET /api/search`: for the search box of the pages. */
export function registerSearch(scope: FastifyInstance, services: Services): void {
  const { clock, database } = services
  const { kysely } = database
  const largest = cachedFor(LARGEST_SPACES_LIFETIME, clock, () => largestSpaces(kysely, MAX_LARGE_SPACES))

  route(scope, services, searchOperation, async ({ accountId, query: { search } }) => {
    const { exceeded, retryAfter } = await countAttempt(services, searchesByAccount, accountId)
    if (exceeded) throw tooManyRequests(retryAfter)
    const operator = await isOperator(kysely, accountId)
    const [spaces, quests, starboards, credentials, members] = await Promise.all([
      findNamed(kysely, 'spaces', search, MAX_RESULTS),
      findQuests(kysely, search, { accountId, drafts: operator ? 'all' : 'team', limit: MAX_RESULTS }),
      findNamed(kysely, 'starboards', search, MAX_RESULTS),
      findNamed(kysely, 'credentials', search, MAX_RESULTS),
      membersFor(accountId, search),
    ])
    const editable = await findEditable(kysely, accountId, {
      operator,
      spaceIds: [...spaces.map(({ id }) => Number(id)), ...quests.map(({ spaceId }) => spaceId)],
      credentialIds: credentials.map(({ id }) => id),
      starboardIds: starboards.map(({ id }) => id),
    })
    return {
      spaces: spaces.map((one) => ({ ...one, editable: editable.space(Number(one.id)) })),
      quests: quests.map(({ id, name, spaceId, spaceName, hidden }) => {
        return { id, name, spaceId, spaceName, hidden, editable: editable.space(spaceId) }
      }),
      starboards: starboards.map((one) => ({ ...one, editable: editable.starboard(one.id) })),
      credentials: credentials.map((one) => ({ ...one, editable: editable.credential(one.id) })),
      members,
    }
  })

  async function membersFor(accountId: string, search: string) {
    const addresses = (await findNames(kysely, search, MAX_NAMES)).map(({ address }) => address)
    const isBeginning = search.length >= MIN_ADDRESS_BEGINNING && !/\s/.test(search)
    const beginnings = isBeginning ? [...new Set([search, search.toLowerCase()])] : []
    if (addresses.length === 0 && beginnings.length === 0) return []
    const best = { count: MAX_BEST, name: addresses.length === 0 ? undefined : search }
    const spaceIds = new Set([...(await ownSpaces(kysely, accountId, MAX_OWN_SPACES)), ...(await largest())])
    const found = await Promise.all(
      [...spaceIds].map((spaceId) => findMembers(kysely, spaceId, { addresses, beginnings, best, limit: MAX_RESULTS })),
    )
    const members = found.flat().toSorted(byPoints).slice(0, MAX_RESULTS)
    const names = await nameSpaces(
      kysely,
      members.map(({ spaceId }) => spaceId),
    )
    return members.map(({ spaceId, address, username, points }) => {
      const spaceName = names.get(spaceId) ?? ''
      return { spaceId, address, username, points, spaceName }
    })
  }
}

const byPoints = (a: FoundMember, b: FoundMember) =>
  b.points - a.points || a.spaceId - b.spaceId || (a.address < b.address ? -1 : 1)
