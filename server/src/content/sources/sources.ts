import { fault } from '../../texts/faults.ts'
import type { FastifyInstance } from 'fastify'
import { isOperator } from '../../accounts/account.queries.ts'
import { route } from '../../api/route.ts'
import { audit } from '../../audit/audit.ts'
import { invalidField, invalidFields, notFound, tooManyRequests } from '../../errors.ts'
import { kinds } from '../../ingest/kinds.ts'
import { sourceTestsByAccount } from '../../rate-limits/limits.ts'
import { countAttempt } from '../../rate-limits/fixed-window.ts'
import type { Services } from '../../services.ts'
import { lockAccountAndSession } from '../../sessions/with-account.ts'
import { describeKinds } from '../../sync/describe-kinds.ts'
import { isPublicOnly, openSource, senderFor, shownSource } from '../../sync/sealed-source.ts'
import { checkKind, credSourceOf, requirePublicHosts, setSource } from '../../sync/set-source.ts'
import { isLiveSource, parseSource, type Source, SourceRefusedError } from '../../sync/source.ts'
import { findSource, removeSource, type SourceRow } from '../../sync/sources.queries.ts'
import { trySource } from '../../sync/try-source.ts'
import { withoutSecrets, withStoredValues } from '../../sync/write-only.ts'
import { contentKinds } from '../records/content-kinds.ts'
import { requireCredentialRight, requireStoredCredentialRight } from '../credentials/credential-rights.ts'
import { changedMeanwhile } from '../records/refusals.ts'
import { sourceDescriptions } from './source-route-descriptions.ts'
import { requireId } from '../records/store.ts'
import { digest } from '../records/version.ts'

const kind = contentKinds.credential

/** `/api/credentials/:id/source`: the source of a credential. `/api/sources/…`: the kinds of sources, and a test of a source. */
export function registerSources(scope: FastifyInstance, services: Services): void {
  const { secret, config } = services
  const { kysely } = services.database

  route(scope, services, sourceDescriptions.kinds, async () => ({ kinds: describeKinds() }))

  route(scope, services, sourceDescriptions.view, ({ params: { id } }) => view(id.text))

  route(scope, services, sourceDescriptions.set, async ({ services, accountId, network, params: { id }, body }) => {
    const credential = id.text
    const operator = await isOperator(kysely, accountId)
    await naming(async () => {
      const value = withStoredValues(body.source, await storedSource(credential))
      await setSource(services, credential, value, {
        ...(!operator && { forbiddenHosts: config.outgoingHosts }),
        async begin(trx) {
          await lockAccountAndSession(trx, accountId, services.actor)
          await requireStoredCredentialRight(trx, accountId, credential, 'edit')
          if (operator && !(await isOperator(trx, accountId))) throw changedMeanwhile()
        },
        replaces(stored) {
          if (versionOf(stored) !== body.version) throw changedMeanwhile()
        },
        note: (source, trx) => {
          const details = { credential, kind: source.kind }
          return audit(services, { accountId, event: 'sync.source-set', network, details }, trx)
        },
      })
    })
    return view(credential)
  })

  route(scope, services, sourceDescriptions.remove, async ({ services, accountId, network, params: { id } }) => {
    const credential = id.text
    await kysely.transaction().execute(async (trx) => {
      await lockAccountAndSession(trx, accountId, services.actor)
      await requireStoredCredentialRight(trx, accountId, credential, 'edit')
      if (await removeSource(trx, credential))
        await audit(services, { accountId, event: 'sync.source-removed', network, details: { credential } }, trx)
    })
  })

  route(scope, services, sourceDescriptions.test, async ({ services, accountId, body }) => {
    const { credentialId, spaceId, address } = body
    const operator = await isOperator(kysely, accountId)
    const credential =
      credentialId === undefined
        ? await requireNewType(accountId, spaceId, body.credType)
        : await requireCredential(accountId, credentialId)
    const count = await countAttempt(services, sourceTestsByAccount, accountId)
    if (count.exceeded) throw tooManyRequests(count.retryAfter)
    const source = await naming(async () => {
      const stored = credentialId === undefined ? undefined : await storedSource(credentialId)
      const parsed = parseSource(withStoredValues(body.source, stored))
      checkKind(parsed, { credSource: credSourceOf(parsed.kind), ...credential })
      if (!operator) requirePublicHosts(parsed, config.outgoingHosts)
      return parsed
    })
    if (isLiveSource(source) && !address)
      throw invalidField('address', 'is missing; this kind of source is asked about one address', fault('missing'))
    const outgoing = senderFor(services.outgoing, source, { publicOnly: !operator })
    return trySource(
      { kysely, outgoing, clock: services.clock, sites: config.sites },
      { source, credType: credential.credType, address },
    )
  })

  async function view(credentialId: string) {
    const row = await findSource(kysely, credentialId)
    if (!row) throw notFound('Credential')
    const source = await storedSource(credentialId)
    return {
      credentialId,
      source: source === undefined ? null : withoutSecrets(source),
      ...(row.source === null ? { kind: null, host: null } : shownSource(row.source)),
      publicOnly: isPublicOnly(row.source),
      ...runOf(row),
      version: versionOf(row.source),
    }
  }

  /** Undefined also if the source was encrypted with another secret. */
  async function storedSource(credentialId: string): Promise<Source | undefined> {
    const row = await findSource(kysely, credentialId)
    try {
      return row?.source ? openSource(secret, credentialId, row.source) : undefined
    } catch {
      return undefined
    }
  }

  async function requireCredential(accountId: string, text: string): Promise<{ credType: string; credSource: string }> {
    const id = requireId(kind, text).text
    await requireStoredCredentialRight(kysely, accountId, id, 'edit')
    const found = await findSource(kysely, id)
    if (!found) throw notFound('Credential')
    return { credType: found.credType, credSource: found.credSource }
  }

  /** The type of a credential that does not exist yet. @throws ApiError */
  async function requireNewType(
    accountId: string,
    spaceId: number | undefined,
    type: unknown,
  ): Promise<{ credType: string }> {
    await requireCredentialRight(kysely, accountId, { curatorSpaceId: spaceId }, 'edit')
    const field = kinds.credentials.fields.credType
    const read = typeof type === 'string' ? field?.read(type) : undefined
    if (read === undefined) throw invalidField('credType', `must be ${field?.allowed}`, field?.fault)
    return { credType: read }
  }
}

/** Each encryption of a source has different bytes, so their digest is the version of the source. */
const versionOf = (stored: unknown): string | null => (stored === null ? null : digest(stored))

const runOf = ({ state, reason, failures, nextRunAt, lastRunAt, lastSuccessAt }: SourceRow) => ({
  state,
  reason,
  failures: failures ?? 0,
  nextRunAt,
  lastRunAt,
  lastSuccessAt,
})

/** Runs work, and converts rejected settings to invalid fields. */
async function naming<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SourceRefusedError)) throw error
    const [first, ...more] = error.problems.map(({ path, message, fault }) => ({
      field: path === '' ? 'source' : `source.${path}`,
      message,
      ...(fault && { fault }),
    }))
    throw first ? invalidFields([first, ...more]) : error
  }
}
