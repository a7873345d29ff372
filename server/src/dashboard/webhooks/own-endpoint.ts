import type { AccountCaller } from '../../api/route.ts'
import { limitByAccount } from '../../rate-limits/limit-by-account.ts'
import { webhookSendsByAccount } from '../../rate-limits/limits.ts'
import type { Services } from '../../services.ts'
import { type Endpoint, requireEndpoint } from '../../webhooks/endpoints.ts'

type Caller = Pick<AccountCaller, 'accountId'> & { services: Services; params: { id: string } }

/** The webhook named in the path, if the account owns it. @throws ApiError not_found */
export const ownEndpoint = ({ services, accountId, params: { id } }: Caller): Promise<Endpoint> =>
  requireEndpoint(services, id, accountId)

/** For requests without a body that send a message, which are limited. @throws ApiError not_found, too_many_requests */
export async function endpointToSend(caller: Caller): Promise<Endpoint> {
  const endpoint = await ownEndpoint(caller)
  await limitByAccount(caller.services, webhookSendsByAccount, endpoint.accountId)
  return endpoint
}
