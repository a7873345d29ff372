import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import type { Services } from '../services.ts'
import type { Verifications } from '../verify/verifications.ts'
import { readQuestRequest, sharedAddresses } from './quest-request.ts'
import { invalidRequest, invalidToken, OauthError } from './errors.ts'

export const VERIFY_PATH = '/oauth/api/2/quests/:questId/verifications'

export interface VerifyAnswer {
  kind: string
  held: boolean | null
  checked_at: string
  list_changed: boolean
}

/** `POST /oauth/api/2/quests/{id}/verifications`: checks a condition of a quest for the user of the access token. */
export async function answerVerification(
  services: Services,
  verifications: Verifications,
  request: FastifyRequest<{ Params: { questId: string } }>,
): Promise<VerifyAnswer> {
  const { token, parameters } = await readQuestRequest(services, request, ['credential_id', 'address'])
  const credentialId = parameters.get('credential_id')
  if (credentialId === undefined)
    throw invalidRequest('credential_id is missing: the ID of a credential that a condition of the quest uses')
  try {
    const { kind, held, checkedAt, change } = await verifications.verify({
      accountId: token.accountId,
      questId: request.params.questId,
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
