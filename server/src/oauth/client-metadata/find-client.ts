import { audit, INSTALLATION, NO_NETWORK } from '../../audit/audit.ts'
import { CLIENT_METADATA_LIFETIME, CLIENT_METADATA_TIMEOUT } from '../../lifetimes.ts'
import { OutgoingError } from '../../outgoing/outgoing-error.ts'
import { readText } from '../../outgoing/read.ts'
import { type RateLimit, metadataByNetwork, metadataOfHost } from '../../rate-limits/limits.ts'
import { countAttempt } from '../../rate-limits/fixed-window.ts'
import { later, nowOf, type Services } from '../../services.ts'
import { type App, findApp } from '../app.queries.ts'
import { RequestPageError } from '../page-error.ts'
import { type Copy, findCopy, saveClient } from './client.queries.ts'
import { clientIdOfUrl, clientUrlFault } from './client-url.ts'
import { changedFields, type ClientDocument, readDocument } from './document.ts'

const MAX_BYTES = 5 * 1024

/**
 * Finds the client that the metadata document at a URL describes. Fetches the document if no copy is stored, or if the
 * copy is older than `CLIENT_METADATA_LIFETIME`.
 * @throws RequestPageError if the URL or the document cannot be used, or if a rate limit is exceeded
 */
export async function findClientByUrl(services: Services, url: string, network: string): Promise<App | undefined> {
  const fault = clientUrlFault(services, url)
  if (fault !== undefined) throw new RequestPageError('clientUrl', { detail: `Reason: ${fault}.` })
  const clientId = clientIdOfUrl(url)
  const { kysely } = services.database
  const now = nowOf(services)
  const copy = await findCopy(kysely, clientId)
  // If an operator has suspended or refused the client, its document is not fetched again.
  if (!copy || (copy.approved && copy.fetchedAt <= later(now, -CLIENT_METADATA_LIFETIME))) {
    await requireBelowLimit(services, metadataByNetwork, network)
    // The limit of the host counts only unknown clients. Invented URLs then cannot lock out users of its known clients.
    if (!copy) await requireBelowLimit(services, metadataOfHost, new URL(url).host)
    await store(services, { ...(await fetchDocument(services, url)), clientId, url, fetchedAt: now })
  }
  return findApp(services.database, clientId)
}

/** Stores the copy, and audits a change. The entry has no network, because the host made the change, not a user. */
async function store(services: Services, copy: Copy): Promise<void> {
  await services.database.kysely.transaction().execute(async (transaction) => {
    const before = await saveClient(transaction, copy)
    if (!before) return
    const { clientId } = copy
    const details = detailsOf(before, copy)
    const entry = { accountId: INSTALLATION, clientId, event: 'app.changed', network: NO_NETWORK, details } as const
    await audit(services, entry, transaction)
  })
}

/** The changed fields, each with its old and its new value. */
function detailsOf(before: ClientDocument, { url, ...after }: Copy): Record<string, string> {
  const values = changedFields(before, after).flatMap((field) => [
    [field, [after[field]].flat().join(' ')],
    [`${field}Before`, [before[field]].flat().join(' ')],
  ])
  return { url, ...(Object.fromEntries(values) as Record<string, string>) }
}

async function requireBelowLimit(services: Services, limit: RateLimit, name: string): Promise<void> {
  if ((await countAttempt(services, limit, name)).exceeded)
    throw new RequestPageError('tooManyClients', { status: 429 })
}

async function fetchDocument(services: Services, url: string): Promise<ClientDocument> {
  const answer = await readText(services.outgoing, {
    url,
    headers: { accept: 'application/json' },
    maxBytes: MAX_BYTES,
    timeout: CLIENT_METADATA_TIMEOUT,
    // With redirects, another host could publish a client that users see under the name of this host.
    redirects: 0,
  }).catch((error: unknown) => {
    throw error instanceof OutgoingError ? unusable(error.message) : error
  })
  if (answer.status !== 200) throw unusable(`the host responded with HTTP status ${answer.status}`)
  const type = answer.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!/^application\/(?:[\w.-]+\+)?json$/.test(type)) throw unusable('its Content-Type must be application/json')
  const document = readDocument(url, answer.text)
  if ('fault' in document) throw unusable(document.fault)
  return document
}

const unusable = (reason: string) => new RequestPageError('document', { detail: `Reason: ${reason}.` })
