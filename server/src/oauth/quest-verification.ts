import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import type { MemberQuests } from '../claims/member-quests.ts'
import { limitByAccount } from '../rate-limits/limit-by-account.ts'
import { verificationsByAccount } from '../rate-limits/limits.ts'
import type { Services } from '../services.ts'
import type { Verifications } from '../verify/verifications.ts'
import { readQuestRequest, sharedAddresses } from './quest-request.ts'
import { invalidRequest, invalidToken, OauthError } from './errors.ts'

export const VERIFY_PATH = '/oauth/api/2/quests/:questId/verifications'

export interface VerificationResponse {
  kind: string
  held: boolean | null
  checked_at: string
  list_changed: boolean
}

/** `POST /oauth/api/2/quests/{id}/verifications`: checks a condition of a quest for the user of the access token. */
export async function verifyQuest(
  services: Services,
  { quests, verifications }: { quests: Pick<MemberQuests, 'visible'>; verifications: Verifications },
  request: FastifyRequest<{ Params: { questId: string } }>,
): Promise<VerificationResponse> {
  const { token, parameters } = await readQuestRequest(services, request, ['credential_id', 'address'])
  const credentialId = parameters.get('credential_id')
  if (credentialId === undefined)
    throw invalidRequest('credential_id is missing: the ID of a credential that a condition of the quest uses')
  const { accountId } = token
  try {
    await limitByAccount(services, verificationsByAccount, accountId)
    const quest = await quests.visible(accountId, request.params.questId)
    const { kind, held, checkedAt, change } = await verifications.verify({
      accountId,
      quest,
      credentialId,
      address: parameters.get('address'),
      allowedAddresses: sharedAddresses(token),
    })
    return { kind, held, checked_at: checkedAt.toISOString(), list_changed: change !== null }
  } catch (error) {
    throw error instanceof ApiError ? toOauthError(error) : error
  }
}

function toOauthError({ status, code, message, headers }: ApiError): OauthError {
  if (code === 'not_checkable' || code === 'identity_missing' || code === 'source_changed')
    return new OauthError(code, message)
  // The account and its tokens were deleted during the check.
  if (code === 'sign_in_required') return invalidToken('the account has ended')
  return new OauthError(status === 503 ? 'temporarily_unavailable' : 'invalid_request', message, { status, headers })
}
