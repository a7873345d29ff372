import type { AccountCaller } from '../../api/route.ts'
import { tooManyRequests } from '../../errors.ts'
import { countAttempt, webhookSendsByAccount } from '../../rate-limit/rate-limit.ts'
import type { Services } from '../../services.ts'
import { type Endpoint, requireEndpoint } from '../../webhooks/endpoints.ts'

type Caller = Pick<AccountCaller, 'accountId'> & { services: Services; params: { id: string } }

/** The webhook named in the path, if the account owns it. @throws ApiError not_found */
export const ownEndpoint = ({ services, accountId, params: { id } }: Caller): Promise<Endpoint> =>
  requireEndpoint(services, id, accountId)

/** For requests that send a message, which are limited. @throws ApiError not_found, too_many_requests */
export async function endpointToSend(caller: Caller): Promise<Endpoint> {
  const endpoint = await ownEndpoint(caller)
  const count = await countAttempt(caller.services, webhookSendsByAccount, endpoint.accountId)
  if (count.exceeded) throw tooManyRequests(count.retryAfter)
  return endpoint
}
