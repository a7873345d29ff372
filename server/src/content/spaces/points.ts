import { type Fault, fault, wrongFormat } from '../../texts/faults.ts'
import type { FastifyInstance } from 'fastify'
import type { Kysely, Transaction } from 'kysely'
import { canonicalMember, isPartOfAddress, WHOLE_ADDRESS } from '../../addresses/addresses.ts'
import { SHORT_ID } from '../../addresses/short-id.ts'
import { route } from '../../api/route.ts'
import { isOperator } from '../../accounts/account.queries.ts'
import { audit, type SecurityEvent } from '../../audit/audit.ts'
import { SECOND } from '../../clock.ts'
import type { DB } from '../../database/tables.ts'
import { ApiError, conflict, invalidField, notFound } from '../../errors.ts'
import { idOf, readEntryId, toEntry } from '../../ledger/entry.ts'
import { readNewest } from '../../ledger/read-entries.ts'
import { applyReversals, readReversalStates } from '../../ledger/reversals.ts'
import { applyEvents } from '../../ranking/awards.ts'
import { beginAwards } from '../../ranking/awards.queries.ts'
import { findBannedMembers } from '../../ranking/banned-members.queries.ts'
import { namesOf } from '../../ranking/boards.queries.ts'
import { updateJoinedProfiles } from '../../ranking/profile-changes.ts'
import { findMembers, findNamesakes, findShortId } from '../../search/search.queries.ts'
import type { Services } from '../../services.ts'
import { withSession } from '../../sessions/with-account.ts'
import { requireRight } from '../../teams/permissions.ts'
import { findAuthors } from './entry-authors.ts'
import { pointDescriptions } from './point-route-descriptions.ts'

/** Milliseconds to wait for a space that another transaction has locked, such as a large import. */
const LOCK_WAIT = 5 * SECOND

const MAX_MEMBERS = 20
/** The maximum number of addresses with one name that are looked up on the board. */
const MAX_NAMESAKES = 1_000

/** `/api/spaces/:id/members`, `…/ledger`, `…/awards` and `…/reversals`: the points of a space and their corrections. */
export function registerPoints(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  route(scope, services, pointDescriptions.list, async ({ accountId, params: { id }, query }) => {
    const { filter, member, ...page } = query
    const wanted = { spaceId: id, ...filter }
    if (member !== undefined) {
      const { addresses } = await addressesOf(kysely, id, member)
      wanted.addresses = wanted.addresses?.filter((one) => addresses.includes(one)) ?? addresses
    }
    const { entries, next } = await readNewest(kysely, wanted, page, services.clock)
    const addresses = [...new Set(entries.map(({ address }) => address))]
    const operator = await isOperator(kysely, accountId)
    const [reversalStateOf, members, authorOf] = await Promise.all([
      readReversalStates(kysely, id, entries),
      findMembers(kysely, id, { addresses, beginnings: [], limit: addresses.length }),
      findAuthors(kysely, entries, { accountId, operator }),
    ])
    const names = new Map(members.map(({ address, username }) => [address, username]))
    const list = entries.map((row) => ({
      ...toEntry(row),
      ...reversalStateOf(row),
      username: names.get(row.address) ?? '',
      author: authorOf(row),
    }))
    return { list, next: next ? idOf(next) : null }
  })

  route(scope, services, pointDescriptions.members, async ({ params: { id }, query: { name } }) => {
    const { addresses, complete } = await addressesOf(kysely, id, name)
    const list = await findWithBanned(kysely, id, addresses)
    return { list: list.slice(0, MAX_MEMBERS), complete: complete && list.length < MAX_MEMBERS }
  })

  route(scope, services, pointDescriptions.award, async (call) => {
    const { services, session, accountId, params, body } = call
    const { key = `manual-${services.random.uuid()}` } = body
    const award = { ...body, key, actor: accountId }
    const { outcome, joined } = await withSession(services, session, async (trx) => {
      await requireRight(trx, accountId, params.id, 'manage')
      await requireWholeAddress(trx, params.id, award.address)
      await beginAwards(trx, LOCK_WAIT)
      const { outcomes, joined } = await applyEvents(trx, params.id, [award], services.clock)
      const [outcome] = outcomes
      if (!outcome || outcome.status === 'refused') throw toApiError(outcome)
      if (outcome.status === 'applied') await note(trx, call, 'points.awarded', { key, points: String(award.points) })
      return { outcome, joined }
    })
    await updateJoinedProfiles(services, joined)
    return { ...outcome, key }
  })

  route(scope, services, pointDescriptions.reverse, async (call) => {
    const { services, session, accountId, params, body } = call
    const { entry, key, reason } = body
    if ((entry === undefined) === (key === undefined))
      throw invalidField('entry', 'or key must name the award, not both', fault('one_of_two'))
    const place = entry === undefined ? undefined : readEntryId(entry)
    const outcome = await withSession(services, session, async (trx) => {
      await requireRight(trx, accountId, params.id, 'manage')
      await beginAwards(trx, LOCK_WAIT)
      const [outcome] = await applyReversals(
        trx,
        params.id,
        [{ entry: place, key, reason, actor: accountId }],
        services.clock,
      )
      if (!outcome || outcome.status === 'refused') throw toApiError(outcome)
      if (outcome.status === 'applied') await note(trx, call, 'points.reversed', { entry: outcome.entry })
      return outcome
    })
    return { status: outcome.status, entry: outcome.status === 'applied' ? outcome.entry : null }
  })

  /** The details do not name the member, because erasing a person does not change the audit log. */
  const note = (
    trx: Transaction<DB>,
    { accountId, network, params: { id } }: { accountId: string; network: string; params: { id: number } },
    event: SecurityEvent,
    details: Record<string, string>,
  ) => audit(services, { accountId, event, network, details: { space: String(id), ...details } }, trx)
}

/** The addresses that a text can mean: the text itself, and the addresses with this name or this short ID. */
async function addressesOf(
  kysely: Kysely<DB>,
  spaceId: number,
  text: string,
): Promise<{ addresses: string[]; complete: boolean }> {
  const address = canonicalMember(text)
  const namesakes = await findNamesakes(kysely, text, MAX_NAMESAKES)
  const byShortId = SHORT_ID.test(text) ? await findShortId(kysely, { spaceId }, text.toLowerCase()) : undefined
  return {
    addresses: [
      ...new Set([...(address === undefined ? [] : [address]), ...namesakes, ...(byShortId?.addresses ?? [])]),
    ],
    complete: namesakes.length < MAX_NAMESAKES && byShortId?.complete !== false,
  }
}

/** The members with these addresses, most points first. Banned members are not on the board, but can get points. */
async function findWithBanned(kysely: Kysely<DB>, spaceId: number, addresses: readonly string[]) {
  const onBoard = await findMembers(kysely, spaceId, { addresses, beginnings: [], limit: MAX_MEMBERS })
  const banned = await findBannedMembers(kysely, spaceId, { addresses, limit: MAX_MEMBERS })
  const names = await namesOf(
    kysely,
    banned.map(({ address }) => address),
  )
  return [
    ...onBoard.map(({ address, username, points }) => ({ address, username, points })),
    ...banned.map((member) => ({ ...member, username: names.get(member.address)?.username ?? '' })),
  ].toSorted((one, other) => other.points - one.points)
}

/** A mistyped address would become a new member. @throws ApiError that names the field */
async function requireWholeAddress(trx: Transaction<DB>, spaceId: number, address: string): Promise<void> {
  if (!isPartOfAddress(address)) return
  if ((await findWithBanned(trx, spaceId, [address])).length === 0)
    throw invalidField('address', `must be ${WHOLE_ADDRESS}`, wrongFormat('member'))
}

interface Refusal {
  code: 'NOT_FOUND' | 'CONFLICT' | 'OUT_OF_RANGE'
  field: string
  reason: string
  fault?: Fault
}

function toApiError(refusal: Refusal | undefined): ApiError {
  const { code, field, reason, fault } = refusal ?? { code: 'NOT_FOUND', field: 'spaceId', reason: 'is unknown' }
  if (code === 'NOT_FOUND' && field === 'spaceId') return notFound('Space')
  if (code === 'CONFLICT') return conflict('conflict', `${field} ${reason}`, fault)
  return new ApiError(code === 'NOT_FOUND' ? 'not_found' : 'invalid_argument', `${field} ${reason}`, {
    field,
    fault,
  })
}
