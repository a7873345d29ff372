import { type Reader, statement } from '@questboard/pg-read-pipeline'

const apiSource = statement<{ source: string }>(
  'sync.api-source',
  `SELECT source::text AS source FROM credential_sources WHERE credential_id = $1`,
)

/** The source as JSON text. */
export async function readApiSource(reader: Reader, credentialId: string): Promise<string | undefined> {
  return (await reader.read(apiSource, [credentialId]))[0]?.source
}
