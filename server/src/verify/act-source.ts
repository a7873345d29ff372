import type { Database } from '../database/connection.ts'
import { ApiError, conflict, notFound } from '../errors.ts'
import { isCredentialId } from '../resolvers/credential-id.ts'
import type { VisibleQuest } from '../claims/member-quests.ts'
import type { Logger } from '../logging/log.ts'
import type { InstallationSecret } from '../secrets/installation-secret.ts'
import { openSource } from '../sync/sealed-source.ts'
import type { Act } from '../sync/source-kind.ts'
import { abilityOf, type Source, type SourceKindName } from '../sync/source.ts'
import { findSource } from '../sync/sources.queries.ts'
import type { Origin } from './lock-result.ts'
import { readVerifiable, type VerifiableRow } from './verifiable.queries.ts'

export interface ActDependencies {
  database: Database
  log: Logger
  secret: InstallationSecret
}

export interface ActRequest {
  accountId: string
  quest: VisibleQuest
  /** The ID of a credential that a condition of the quest uses. */
  credentialId: string
}

const kinds = { quiz: 'QUIZ', visit: 'VISIT_LINK' } as const satisfies Record<Act, SourceKindName>
type SourceOf<A extends Act> = Extract<Source, { kind: (typeof kinds)[A] }>

const notOf = (act: Act): ApiError =>
  act === 'quiz'
    ? conflict('not_a_quiz', 'The source of this credential is not a quiz')
    : conflict('not_a_visit_link', 'The source of this credential is not a link to visit')

/**
 * The source of a condition of a quest that the account can see.
 * @throws ApiError 404, 409 not_a_quiz or not_a_visit_link, 503
 */
export async function readActSource<A extends Act>(
  { database, log, secret }: ActDependencies,
  { accountId, quest, credentialId }: ActRequest,
  act: A,
): Promise<{ credential: VerifiableRow; source: SourceOf<A>; origin: Origin }> {
  const credential = isCredentialId(credentialId) ? await readVerifiable(database, quest.id, credentialId) : undefined
  if (!credential) throw notFound('Condition')
  if (credential.kind === null || abilityOf(credential.kind).act !== act) throw notOf(act)
  const row = await findSource(database.kysely, credentialId)
  let source: Source
  try {
    source = openSource(secret, credentialId, row?.source)
  } catch (error) {
    log.warn({ credentialId, reason: (error as Error).message }, 'the source of a credential cannot be used')
    throw new ApiError('source_unavailable', 'The source of this credential cannot be used now')
  }
  if (source.kind !== kinds[act]) throw notOf(act)
  return { credential, source: source as SourceOf<A>, origin: { accountId, source: row?.source } }
}
