import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** The folder of the manual, built from the files as they are. */
export function builtManual(): string {
  execFileSync(process.execPath, [join(root, 'scripts', 'install.mjs'), '--pages'], { stdio: ['ignore', 2, 2] })
  return join(root, 'manual', 'dist')
}
