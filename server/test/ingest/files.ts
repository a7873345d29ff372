import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { importFile, type ImportFileOptions } from '../../src/ingest/import-file.ts'
import { ImportRefusedError } from '../../src/ingest/problems.ts'
import type { ImportDependencies } from '../../src/ingest/import-rows.ts'

/** Writes a file and deletes it after the test. */
export async function temporaryFile(name: string, content: string | Buffer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'questboard-import-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, name), content)
  return join(folder, name)
}

/** Imports text as standard input. */
export async function importText(
  dependencies: ImportDependencies,
  content: string | Buffer,
  options: Partial<ImportFileOptions> = {},
) {
  return importFile(dependencies, '-', { standardInput: Readable.from([Buffer.from(content)]), ...options })
}

/** The problems that a rejected import reports, one per line. */
export async function problemsOf(refused: Promise<unknown>): Promise<string[]> {
  const error: unknown = await refused.then(
    () => new Error('the import was not refused'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof ImportRefusedError)) throw error
  return error.message.split('\n').slice(1)
}
