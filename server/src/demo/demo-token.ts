import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DEMO_PLAN } from '../access/plans.ts'
import { findLiveToken } from '../access/server-tokens.queries.ts'
import { createToken } from '../access/server-tokens.ts'
import { hashOf } from '../secrets/hashes.ts'
import { isWellFormedToken } from '../secrets/token-format.ts'
import type { Dependencies } from '../services.ts'

/**
 * The token that `npm start` prints. The database keeps only hashes, so the value is in a file that only the
 * operator can read; when the file is gone, or its token no longer valid, a new token is made.
 */
export async function demoToken(deps: Dependencies, accountId: string): Promise<string> {
  const { database, config, clock } = deps
  const file = demoTokenFile(config)
  const kept = await readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => '',
  )
  if (isWellFormedToken('qbs', kept) && (await findLiveToken(database.kysely, hashOf(kept), new Date(clock.now()))))
    return kept
  const { token } = await createToken(deps, { accountId, name: 'Demo', plan: DEMO_PLAN })
  await mkdir(config.dataDir, { recursive: true })
  await writeFile(file, `${token}\n`, { mode: 0o600 })
  return token
}

/** Deletes the file of a token whose account was erased. */
export async function forgetDemoToken({ dataDir }: { dataDir: string }): Promise<void> {
  await rm(demoTokenFile({ dataDir }), { force: true })
}

export const demoTokenFile = ({ dataDir }: { dataDir: string }): string => join(dataDir, 'demo-token')
