import { type Reader, statement, textArray } from '@questboard/pg-read-pipeline'

export interface VerifiableRow {
  cred_type: string
  /** The kind of its source; null if it has none. */
  kind: string | null
}

const isCondition = statement<{ found: boolean }>(
  'verify.condition',
  `SELECT EXISTS (SELECT FROM quest_conditions WHERE quest_id = $1 AND credential_id = $2::bigint) AS found`,
)

const credentialById = statement<VerifiableRow>(
  'verify.credential',
  `SELECT c.cred_type, s.source ->> 'kind' AS kind
   FROM credentials c LEFT JOIN credential_sources s ON s.credential_id = $1::bigint
   WHERE c.credential_id = $1::bigint`,
)

/** A credential that is a condition of a quest. */
export async function readVerifiable(
  reader: Reader,
  questId: string,
  credentialId: string,
): Promise<VerifiableRow | undefined> {
  const [condition] = await reader.read(isCondition, [questId, credentialId])
  return condition?.found ? (await reader.read(credentialById, [credentialId]))[0] : undefined
}

export interface CheckRow {
  holder: string
  held: boolean
  checked_at: Date
}

const checksOf = statement<CheckRow>(
  'verify.checks',
  `SELECT holder, held, checked_at FROM credential_checks
   WHERE credential_id = $1::bigint AND holder = ANY($2::text[]) AND checked_at > $3`,
)

/** The checks of holders since a time. */
export async function readChecks(
  reader: Reader,
  credentialId: string,
  holders: readonly string[],
  since: Date,
): Promise<CheckRow[]> {
  return reader.read(checksOf, [credentialId, textArray(holders), since])
}
