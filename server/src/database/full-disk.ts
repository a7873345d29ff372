import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

export const FULL_DISK =
  'The disk of QUESTBOARD_DATA_DIR is full. Free space on it: a new database with the demo data needs 200 MB.'

/** Whether the output of PostgreSQL contains the error of a full disk. PostgreSQL runs with English messages. */
export const reportsFullDisk = (output: string): boolean => output.includes('No space left on device')

/** The log of the embedded server. */
export const serverLogOf = (dataDir: string): string => join(dataDir, 'postgres.log')

/**
 * Watches the log of the embedded server. A full disk can end the server, and its clients then only see a lost
 * connection.
 * @returns a function that returns whether the server has reported a full disk since
 */
export async function watchForFullDisk(dataDir: string): Promise<() => Promise<boolean>> {
  const file = serverLogOf(dataDir)
  const start = await stat(file).then(
    ({ size }) => size,
    () => 0,
  )
  return async () => reportsFullDisk(await text(createReadStream(file, { start })).catch(() => ''))
}
