import type { Transaction } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import { audit } from '../audit/audit.ts'
import type { Config } from '../config.ts'
import type { AuthoredServices } from '../content/records/edit.ts'
import type { DB } from '../database/tables.ts'
import { loadInstallationSecret } from '../secrets/installation-secret.ts'
import { openSource } from '../sync/sealed-source.ts'
import { checkSource, putSource } from '../sync/set-source.ts'
import { concealed, parseSource, type Source, SourceRefusedError } from '../sync/source.ts'
import { lockSource, removeSource } from '../sync/sources.queries.ts'
import { withoutSecrets, withStoredValues } from '../sync/write-only.ts'
import { differences, type FieldChange } from './differences.ts'

export interface SourceServices extends AuthoredServices {
  config: Config
}

/** Values that files name as `{env: NAME}`; undefined if files cannot name any. */
export type Environment = Readonly<Record<string, string | undefined>> | undefined

const HIDDEN = '(hidden)'

/**
 * Stores the source that a file describes, or removes the stored one. Secrets are hidden in the changes.
 * @throws SourceRefusedError
 */
export async function applySource(
  services: SourceServices,
  trx: Transaction<DB>,
  credential: string,
  described: unknown,
  environment: Environment,
): Promise<FieldChange[]> {
  const row = await lockSource(trx, credential)
  const stored = row?.source ? readStored(services, credential, row.source) : undefined
  if (described === null) {
    if (!row?.source) return []
    await removeSource(trx, credential)
    await note(services, trx, 'sync.source-removed', { credential })
    return [{ field: 'source', before: stored ? withoutSecrets(stored) : HIDDEN, after: null }]
  }
  const parsed = parseSource(withStoredValues(withEnvironment(described, environment), stored))
  const source = concealed(parsed, services.random, stored)
  await checkSource(trx, credential, source)
  if (isDeepStrictEqual(source, stored)) return []
  await putSource(services, trx, credential, source)
  await note(services, trx, 'sync.source-set', { credential, kind: source.kind })
  return changesOf(stored, source)
}

/** The stored source; also undefined if it was encrypted with an unknown secret. */
export function readStored({ config }: { config: Config }, credential: string, sealed: unknown): Source | undefined {
  try {
    return openSource(loadInstallationSecret(config), credential, sealed)
  } catch {
    return undefined
  }
}

function changesOf(before: Source | undefined, after: Source): FieldChange[] {
  if (!before) return [{ field: 'source', before: null, after: withoutSecrets(after) }]
  const visible = differences('source', withoutSecrets(before), withoutSecrets(after))
  return visible.length > 0 ? visible : [{ field: 'source', before: HIDDEN, after: HIDDEN }]
}

/** Replaces each `{env: NAME}`. @throws SourceRefusedError that names the setting */
function withEnvironment(value: unknown, environment: Environment, path = ''): unknown {
  if (Array.isArray(value)) return value.map((item, index) => withEnvironment(item, environment, `${path}[${index}]`))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const [[key, name] = []] = entries
  if (entries.length === 1 && key === 'env' && typeof name === 'string') {
    const found = environment?.[name]
    if (found !== undefined && found !== '') return found
    throw new SourceRefusedError([{ path, message: whyUnset(name, environment) }])
  }
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, withEnvironment(inner, environment, path === '' ? key : `${path}.${key}`)]),
  )
}

const whyUnset = (name: string, environment: Environment) =>
  environment
    ? `needs the environment variable ${name}, which is not set`
    : 'can name environment variables in files only'

function note(
  services: AuthoredServices,
  trx: Transaction<DB>,
  event: 'sync.source-set' | 'sync.source-removed',
  details: Record<string, string>,
): Promise<void> {
  const { accountId, network, by } = services.actor
  return audit(services, { accountId, network, event, details: by === undefined ? details : { ...details, by } }, trx)
}
