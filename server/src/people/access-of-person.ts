import type { FastifyInstance } from 'fastify'
import type { Transaction } from 'kysely'
import { listTokens, setRevoked } from '../access/server-tokens.queries.ts'
import { selectIngestTokens, setIngestRevoked } from '../access/ingest-tokens.queries.ts'
import { route } from '../api/route.ts'
import { audit } from '../audit/audit.ts'
import type { DB } from '../database/tables.ts'
import { notFound } from '../errors.ts'
import { nowOf, type Services } from '../services.ts'
import type { SessionServices } from '../sessions/with-account.ts'
import { deleteEndpointRows, findEndpointRow } from '../webhooks/endpoints.queries.ts'
import { peopleDescriptions } from './route-descriptions.ts'
import { withPerson } from '../sessions/with-person.ts'

interface Token {
  tokenId: string
  name: string
  revokedAt: Date | null
}

/** The functions that list and revoke one kind of tokens. */
interface TokenKind {
  event: 'token.revoked' | 'ingest-token.revoked'
  list: (trx: Transaction<DB>, accountId: string) => Promise<Token[]>
  revoke: (trx: Transaction<DB>, tokenId: string, at: Date) => Promise<unknown>
}

const serverTokens: TokenKind = { event: 'token.revoked', list: listTokens, revoke: setRevoked }
const ingestTokens: TokenKind = {
  event: 'ingest-token.revoked',
  list: selectIngestTokens,
  revoke: setIngestRevoked,
}

/** Single tokens and webhooks of an account, which an operator ends. The owner finds an entry in the log. */
export function registerAccessOfPerson(scope: FastifyInstance, services: Services): void {
  for (const [operation, kind] of [
    [peopleDescriptions.revokeToken, serverTokens],
    [peopleDescriptions.revokeIngestToken, ingestTokens],
  ] as const)
    route(scope, services, operation, ({ services, network, params }) => revoke(services, kind, params, network))

  route(scope, services, peopleDescriptions.deleteWebhook, ({ services, network, params: { id, webhook } }) =>
    withPerson(services, id, async (trx) => {
      const endpoint = await findEndpointRow(trx, webhook, { lock: true })
      if (endpoint?.account_id !== id) throw notFound('Webhook')
      await deleteEndpointRows(trx, webhook)
      const details = { webhook, by: 'operator' }
      await audit(services, { accountId: id, event: 'webhook.deleted', network, details }, trx)
    }),
  )
}

const revoke = (
  services: SessionServices,
  { event, list, revoke: end }: TokenKind,
  { id, token }: { id: string; token: string },
  network: string,
): Promise<void> =>
  withPerson(services, id, async (trx) => {
    const found = (await list(trx, id)).find(({ tokenId }) => tokenId === token)
    if (!found) throw notFound('Token')
    if (found.revokedAt) return
    await end(trx, token, nowOf(services))
    const details = { tokenId: token, name: found.name, by: 'operator' }
    await audit(services, { accountId: id, event, network, details }, trx)
  })
