// Runs before `npm test`: installs Debian's Chromium and nginx if they are missing and can be installed. Tests of a
// missing program are skipped with a message.
import { existsSync } from 'node:fs'
import { findChromium } from '../web/test/chromium.ts'
import { findNginx } from '../deploy/test/nginx.ts'
import { canInstall, install, type Program } from './debian-packages.ts'

const chromium: Program = { name: 'Chromium', packages: ['chromium', 'fonts-liberation'], find: findChromium }
const nginx: Program = { name: 'nginx', packages: ['nginx'], find: findNginx }

if (canInstall()) {
  installForTests(chromium)
  // With systemd, the package would start nginx on port 80.
  if (!existsSync('/run/systemd/system')) installForTests(nginx)
}

function installForTests(program: Program): void {
  const failure = install(program, 'for the tests')
  if (failure !== undefined)
    process.stderr.write(`${failure}\n${program.name} could not be installed; the tests that need it are left out.\n`)
}
