import type { FastifyRequest } from 'fastify'
import type { MemberQuests } from '../claims/member-quests.ts'
import { type Refusal, refusalReasons } from '../claims/refusals.ts'
import { type RateLimit, claimsByAccount } from '../rate-limits/limits.ts'
import { countAttempt } from '../rate-limits/fixed-window.ts'
import type { Services } from '../services.ts'
import { invalidRequest, OauthError, tooManyRequests } from './errors.ts'
import type { Parameters } from './parameters.ts'
import { readQuestRequest, sharedAddresses } from './quest-request.ts'

export const CLAIM_PATH = '/oauth/api/2/quests/:questId/claim'

export interface ClaimResponse {
  status: 'applied' | 'duplicate'
  address: string
  points: number
  sprint_id: number | null
  claimed_at: string
}

/** `POST /oauth/api/2/quests/{id}/claim`: completes a quest for the user of the access token. */
export async function claimQuest(
  services: Services,
  quests: MemberQuests,
  request: FastifyRequest<{ Params: { questId: string } }>,
): Promise<ClaimResponse> {
  const { token, parameters } = await readQuestRequest(services, request, ['address', 'key'])
  const key = readKey(request, parameters)
  const { accountId } = token
  await limit(services, claimsByAccount, accountId)
  const outcome = await quests.claim({
    accountId,
    quest: await quests.visible(accountId, request.params.questId),
    address: parameters.get('address'),
    allowedAddresses: sharedAddresses(token),
    key: key === undefined ? undefined : `app:${token.clientId}:${accountId}:${key}`,
  })
  if (outcome.status === 'refused') throw claimRefused(outcome.refusal)
  const { address, points, sprintId, claimedAt } = outcome.completion
  return { status: outcome.status, address, points, sprint_id: sprintId, claimed_at: claimedAt.toISOString() }
}

function readKey(request: FastifyRequest, parameters: Parameters): string | undefined {
  const inHeader = request.headers['idempotency-key']
  const inBody = parameters.get('key')
  for (const key of [inHeader, inBody])
    if (key !== undefined && !/^[^\p{Cc}]{1,200}$/u.test(String(key)))
      throw invalidRequest('The key must be 1 to 200 characters without control characters')
  if (inHeader !== undefined && inBody !== undefined && inHeader !== inBody)
    throw invalidRequest('The parameter key differs from the header Idempotency-Key')
  return inHeader === undefined ? inBody : String(inHeader)
}

/** @throws OauthError 429 */
async function limit(services: Services, attempts: RateLimit, accountId: string): Promise<void> {
  const { exceeded, retryAfter } = await countAttempt(services, attempts, accountId)
  if (exceeded) throw tooManyRequests(retryAfter)
}

function claimRefused({ reason, message, conditions }: Refusal): OauthError {
  const refusal = { reason, ...refusalReasons[reason], ...(conditions && { conditions }) }
  return new OauthError('claim_refused', message, { refusal })
}
