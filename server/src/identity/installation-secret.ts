import { hkdfSync } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { systemRandom } from '../random.ts'

/** Keys of the installation that never stand in the database, so that a copy of the database alone forges nothing. */
export interface InstallationSecret {
  /** A 32-byte key for one purpose. */
  key(purpose: string): Buffer
}

/**
 * QUESTBOARD_SECRET, or else the file `secret` of the data folder, made at the first start and readable by its owner only.
 * All instances of one installation need the same.
 */
export function loadInstallationSecret(config: Pick<Config, 'secret' | 'dataDir'>): InstallationSecret {
  const secret = config.secret ?? readSecretFile(config.dataDir)
  return { key: (purpose) => Buffer.from(hkdfSync('sha256', secret, 'questboard', purpose, 32)) }
}

/** Where the secret comes from; undefined when its file is still to be made. */
export function secretSource(config: Pick<Config, 'secret' | 'dataDir'>): string | undefined {
  if (config.secret !== undefined) return 'QUESTBOARD_SECRET'
  const path = join(config.dataDir, 'secret')
  return existsSync(path) ? path : undefined
}

function readSecretFile(dataDir: string): string {
  const path = join(dataDir, 'secret')
  try {
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(path, `${systemRandom.bytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new Error(`Cannot write ${path}; make the folder writable or set QUESTBOARD_SECRET`, { cause: error })
  }
  const secret = readFileSync(path, 'utf8').trim()
  if (secret.length < 32) throw new Error(`${path} is damaged: restore it, or set QUESTBOARD_SECRET`)
  return secret
}
