import { type Reader, statement } from '../database/connection.ts'

const apiSource = statement<{ source: unknown }>(
  'sync.api-source',
  `SELECT source FROM credential_sources WHERE credential_id = $1`,
)

export async function readApiSource(reader: Reader, credentialId: string): Promise<unknown> {
  return (await reader.read(apiSource, [credentialId]))[0]?.source
}
