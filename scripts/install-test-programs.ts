// Runs before `npm test`: installs Debian's Chromium, nginx and packages of Python, and other JavaScript runtimes and the MCP Inspector
// from npm, if they are missing and can be installed. Tests of a missing program are skipped with a message.
import { existsSync } from 'node:fs'
import { installationFailure, installRuntimes } from '../client/test/runtimes/install.ts'
import { inspectorFailure, installInspector } from '../server/test/mcp/inspector/install.ts'
import { findPython, PYTHON_PACKAGES } from '../clients/python/test/find-python.ts'
import { findChromium } from '../web/test/chromium.ts'
import { findNginx } from '../deploy/test/nginx.ts'
import { canInstall, install, type Program } from './debian-packages.ts'

const chromium: Program = { name: 'Chromium', packages: ['chromium', 'fonts-liberation'], find: findChromium }
const nginx: Program = { name: 'nginx', packages: ['nginx'], find: findNginx }
const python: Program = {
  name: 'Python with httpx, pytest and mypy',
  packages: ['python3', ...PYTHON_PACKAGES],
  find: findPython,
}

// Starts before apt, which blocks this process. The tests try again, and fail with the reason.
const runtimes = (await installationFailure()) === undefined ? installRuntimes() : undefined
const fromNpm = async () => {
  await runtimes
  if ((await inspectorFailure()) === undefined) await installInspector()
}
fromNpm().catch((error: Error) => process.stderr.write(`${error.message}\n`))

if (canInstall()) {
  installForTests(chromium)
  installForTests(python)
  // With systemd, the package would start nginx on port 80.
  if (!existsSync('/run/systemd/system')) installForTests(nginx)
}

function installForTests(program: Program): void {
  const failure = install(program, 'for the tests')
  if (failure !== undefined)
    process.stderr.write(`${failure}\n${program.name} could not be installed; the tests that need it are left out.\n`)
}
