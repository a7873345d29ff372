import { hkdfSync } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Random, systemRandom } from '../random.ts'

/** Keys that are never stored in the database, so that a copy of the database is not enough to forge anything. */
export interface InstallationSecret {
  /** The current 32-byte key for a purpose. */
  key(purpose: string): Buffer
  /** The current key, then the keys of other accepted secrets. */
  keys(purpose: string): readonly Buffer[]
}

interface SecretSettings {
  secret: string | undefined
  otherSecrets: readonly string[]
  dataDir: string
}

/**
 * Loads QUESTBOARD_SECRET and QUESTBOARD_OTHER_SECRETS, or else the lines of the file `secret` in the data folder.
 * Creates the file at the first start, readable only by its owner. All processes of an installation need the same
 * secret.
 */
export function loadInstallationSecret(config: SecretSettings): InstallationSecret {
  const [secret, ...others] =
    config.secret === undefined ? readSecretFile(config.dataDir) : [config.secret, ...config.otherSecrets]
  const derive = (from: string, purpose: string) => Buffer.from(hkdfSync('sha256', from, 'questboard', purpose, 32))
  return {
    key: (purpose) => derive(secret, purpose),
    keys: (purpose) => [secret, ...others].map((each) => derive(each, purpose)),
  }
}

/** The source of the secret; undefined if the file does not exist yet. */
export function secretSource(config: Pick<SecretSettings, 'secret' | 'dataDir'>): string | undefined {
  if (config.secret !== undefined) return 'QUESTBOARD_SECRET'
  const path = secretFile(config.dataDir)
  return existsSync(path) ? path : undefined
}

/** Identifies a secret without revealing it: 32 bits of a hash, 8 hex digits. */
export function markOf(secret: InstallationSecret): string {
  return secret.key('mark').toString('hex').slice(0, 8)
}

export function newSecret(random: Random): string {
  return random.bytes(32).toString('base64url')
}

/** Adds a new first secret to the file; the others remain accepted. Returns the path. */
export function addToSecretFile(dataDir: string, random: Random): string {
  const path = secretFile(dataDir)
  const lines = [newSecret(random), ...readSecretFile(dataDir)]
  writeFileSync(`${path}.new`, `${lines.join('\n')}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return path
}

const secretFile = (dataDir: string) => join(dataDir, 'secret')

function readSecretFile(dataDir: string): [string, ...string[]] {
  const path = secretFile(dataDir)
  try {
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(path, `${newSecret(systemRandom)}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new Error(`Cannot write ${path}; make the folder writable, or set QUESTBOARD_SECRET`, { cause: error })
  }
  const [first = '', ...more] = readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if ([first, ...more].some((line) => line.length < 32))
    throw new Error(`${path} is damaged: restore it, or set QUESTBOARD_SECRET`)
  return [first, ...more]
}
