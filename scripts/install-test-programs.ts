// Runs before `npm test`: installs the test programs of Debian, and other JavaScript runtimes, the MCP Inspector
// and the schemas of Kubernetes from npm, if they are missing and can be installed. Tests of a missing program are skipped with a message.
import { existsSync } from 'node:fs'
import { installationFailure, installRuntimes } from '../client/test/runtimes/install.ts'
import { installModels, modelsFailure } from '../deploy/test/kubernetes-models/install.ts'
import { inspectorFailure, installInspector } from '../server/test/spec/stock-clients/mcp-inspector/install.ts'
import { canInstall, install, type Program } from './debian-packages.ts'
import { testPrograms } from './test-programs.ts'

// Starts before apt, which blocks this process. The tests try again, and fail with the reason.
const runtimes = (await installationFailure()) === undefined ? installRuntimes() : undefined
const fromNpm = async () => {
  await runtimes
  if ((await inspectorFailure()) === undefined) await installInspector()
  if ((await modelsFailure()) === undefined) await installModels()
}
fromNpm().catch((error: Error) => process.stderr.write(`${error.message}\n`))

const hasSystemd = existsSync('/run/systemd/system')
if (canInstall())
  for (const program of testPrograms) if (!hasSystemd || !program.startsWithSystemd) installForTests(program)

function installForTests(program: Program): void {
  const failure = install(program, 'for the tests')
  if (failure !== undefined)
    process.stderr.write(`${failure}\n${program.name} could not be installed; the tests that need it are left out.\n`)
}
