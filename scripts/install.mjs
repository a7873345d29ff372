// Makes a checkout ready to run: installs the locked dependencies and builds the pages, each only when that is needed.
// Runs on the machine's own Node (18 or later), because the project's Node comes with the dependencies.
//
//   node scripts/install.mjs            before `npm start`: pages that cannot be built are no reason not to start
//   node scripts/install.mjs --strict   they are an error
//   node scripts/install.mjs --development  also installs what only tests and checks use
//   node scripts/install.mjs --tests    before `npm test`: both, and programs for the tests are installed
//   node scripts/install.mjs --pages    only builds the pages, strictly: a running test must keep its dependencies
//   node scripts/install.mjs --plan     only says what would be done
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root, withLock } from './install/checkout.mjs'
import { dependenciesAreInstalled, installDependencies } from './install/dependencies.mjs'
import { buildPages, pagesAreBuilt } from './install/pages.mjs'
import { linkProjectNode, projectNode } from './install/project-node.mjs'

const tests = process.argv.includes('--tests')
const development = tests || process.argv.includes('--development')
const pagesOnly = process.argv.includes('--pages')
const strict = tests || pagesOnly || process.argv.includes('--strict')

if (process.argv.includes('--plan')) {
  if (!dependenciesAreInstalled(development)) console.log('install dependencies')
  if (!pagesAreBuilt()) console.log('build pages')
} else {
  if (!pagesOnly && !dependenciesAreInstalled(development))
    await withLock(() => dependenciesAreInstalled(development) || installDependencies(development))
  linkProjectNode()
  const node = projectNode()
  // While the pages are built; this process ends after both.
  if (tests) spawn(node, [join(root, 'scripts', 'install-test-programs.ts')], { stdio: ['ignore', 2, 2] })
  if (!pagesAreBuilt()) await withLock(() => pagesAreBuilt() || buildPages(node, strict))
}
