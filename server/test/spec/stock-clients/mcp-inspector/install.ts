import { join } from 'node:path'
import { lockedPackages } from '../../../../../scripts/test/npm-registry.ts'

const packages = lockedPackages('mcp-inspector', import.meta.dirname)

/** Why the MCP Inspector cannot be installed, or undefined. */
export const inspectorFailure = packages.failure

/** Installs the MCP Inspector of the lockfile, about 110 MB. */
export const installInspector = (): Promise<void> =>
  packages.install('Installing the MCP Inspector for the tests (once)…')

/** The program of the inspector. */
export const inspector = join(packages.modules, '@modelcontextprotocol/inspector/clients/launcher/build/index.js')
