import { createIngestToken, type NewIngestToken } from '../../src/access/ingest-tokens.ts'
import { findOrCreateAccount } from '../../src/access/server-tokens.queries.ts'
import type { BatchAnswer } from '../../src/ingest-api/results.ts'
import type { TestService } from '../support/service.ts'

/** Creates an ingest token, by default for everything. */
export async function ingestToken(
  service: Pick<TestService, 'deps'>,
  scope: Partial<NewIngestToken> = { spaces: 'all', starboards: 'all', credentials: 'all' },
): Promise<string> {
  const { deps } = service
  const accountId = await findOrCreateAccount(deps.database.kysely, {
    accountId: deps.random.uuid(),
    name: 'writer',
    createdAt: new Date(deps.clock.now()),
  })
  return (await createIngestToken(deps, { accountId, name: 'writer', ...scope })).token
}

export interface Sent {
  status: number
  headers: Headers
  body: BatchAnswer & { error: { code: string; message: string; field?: string; request_id: string } }
}

export interface SendOptions {
  token?: string | undefined
  headers?: Record<string, string>
}

/** Sends items as JSON, or a text unchanged. */
export async function send(
  service: Pick<TestService, 'url'>,
  path: string,
  items: unknown,
  { token, headers = {} }: SendOptions = {},
): Promise<Sent> {
  const response = await fetch(`${service.url}/ingest/v1/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof items === 'string' ? items : JSON.stringify({ items }),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Sent['body'] }
}

export const statuses = ({ body }: Sent) => body.results.map((result) => result.status)
