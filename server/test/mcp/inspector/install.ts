import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keepFolder, keptFolder, npm, registryFailure } from '../../../../scripts/test/npm-registry.ts'

const LOCKFILE = 'package-lock.json'
const lockfile = readFileSync(join(import.meta.dirname, LOCKFILE))
// Other versions get another folder.
const folder = keptFolder('mcp-inspector', createHash('sha256').update(lockfile).digest('hex').slice(0, 16))

/** Why the MCP Inspector cannot be installed, or undefined. */
export const inspectorFailure = async (): Promise<string | undefined> =>
  existsSync(folder) ? undefined : await registryFailure()

/** Installs the MCP Inspector of the lockfile, about 110 MB, and keeps it for the next run. npm checks the hashes. */
export async function installInspector(): Promise<void> {
  await keepFolder(folder, async (unfinished) => {
    process.stderr.write('Installing the MCP Inspector for the tests (once)…\n')
    for (const name of ['package.json', LOCKFILE]) copyFileSync(join(import.meta.dirname, name), join(unfinished, name))
    await npm(unfinished, 'ci')
  })
}

/** The program of the inspector. */
export const inspector = join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
