import { z } from 'zod'
import { type Clock } from '../clock.ts'
import type { MemberQuests } from '../claims/member-quests.ts'
import { type AllowedAddresses, ensureOwnAddress } from '../claims/own-addresses.ts'
import { ApiError, ServiceError } from '../errors.ts'
import { VISIT_LINK_LIFETIME } from '../lifetimes.ts'
import type { Random } from '../random.ts'
import { verificationsByAccount } from '../rate-limits/limits.ts'
import { seal, unseal } from '../secrets/sealing.ts'
import { type ActDependencies, type ActRequest, readActSource } from './act-source.ts'
import { limitAttempts } from './limit-attempts.ts'
import { kindOfSource, ownHolders } from './own-holders.ts'
import { recordCheck } from './record-check.ts'

export interface VisitRequest extends ActRequest {
  address?: string | undefined
  allowedAddresses: AllowedAddresses
}

/** The reason why a link is refused. */
export type VisitRefusal = 'forged' | 'expired' | 'signed-out' | 'other-account' | 'changed' | 'limited'

/** Links to pages that members visit (docs/quests.md). */
export interface Visits {
  /**
   * Creates the ticket in a link for one account, condition and address. It is valid for a short time.
   * @throws as readActSource and ownHolders
   */
  createTicket(request: VisitRequest): Promise<{ ticket: string; expiresAt: Date }>
  /** Records the visit of the account that opens a link with this ticket. @returns the URL to open */
  open(ticket: string, accountId: string): Promise<{ target: string } | { refused: VisitRefusal }>
}

const PURPOSE = 'visit-links'
const LABEL = 'visit'
const contents = z.strictObject({
  accountId: z.string(),
  questId: z.string(),
  credentialId: z.string(),
  address: z.string(),
  expires: z.number(),
})

export interface VisitDependencies extends ActDependencies {
  clock: Clock
  random: Random
  quests: Pick<MemberQuests, 'visible'>
}

export function createVisits(deps: VisitDependencies): Visits {
  const { database, clock, random, secret, quests } = deps

  /** Encrypted, because a URL is stored in the history of the browser, and the address is personal data. */
  const write = (visit: z.output<typeof contents>): string =>
    seal(secret.key(PURPOSE), LABEL, Buffer.from(JSON.stringify(visit)), random).toString('base64url')

  function read(ticket: string): z.output<typeof contents> | undefined {
    try {
      const text = unseal(secret.keys(PURPOSE), LABEL, Buffer.from(ticket, 'base64url')).toString()
      return contents.parse(JSON.parse(text))
    } catch {
      return undefined
    }
  }

  return {
    async createTicket(request) {
      const { accountId, quest, credentialId } = request
      const { credential } = await readActSource(deps, request, 'visit')
      await ensureOwnAddress(deps, accountId, kindOfSource(credential))
      await ownHolders(database.kysely, accountId, credential, request)
      const expires = clock.now() + VISIT_LINK_LIFETIME
      const ticket = write({ accountId, questId: quest.id, credentialId, address: request.address ?? '', expires })
      return { ticket, expiresAt: new Date(expires) }
    },

    async open(ticket, accountId) {
      const visit = read(ticket)
      if (!visit) return { refused: 'forged' }
      if (visit.expires <= clock.now()) return { refused: 'expired' }
      if (visit.accountId !== accountId) return { refused: 'other-account' }
      const { credentialId } = visit
      const address = visit.address === '' ? undefined : visit.address
      try {
        await limitAttempts(deps, verificationsByAccount, accountId)
        const quest = await quests.visible(accountId, visit.questId)
        const act = { accountId, quest, credentialId }
        const { credential, source, origin } = await readActSource(deps, act, 'visit')
        const named = { address, allowedAddresses: 'all' } as const
        const { holders } = await ownHolders(database.kysely, accountId, credential, named)
        const visited = { credentialId, holder: holders[0], held: true, at: new Date(clock.now()) }
        await recordCheck(database, visited, { live: false, origin })
        return { target: new URL(source.target).href }
      } catch (error) {
        const refused = refusalBy(error)
        if (refused) return { refused }
        throw error
      }
    },
  }
}

/** `changed`: the quest, the condition or the identity was changed or deleted after the link was created. */
function refusalBy(error: unknown): VisitRefusal | undefined {
  if (error instanceof ApiError && error.status === 429) return 'limited'
  if (error instanceof ApiError && error.code === 'sign_in_required') return 'signed-out'
  const isChanged =
    error instanceof ApiError
      ? [400, 404, 409, 503].includes(error.status)
      : error instanceof ServiceError && ['NOT_FOUND', 'PERMISSION_DENIED'].includes(error.code)
  return isChanged ? 'changed' : undefined
}
