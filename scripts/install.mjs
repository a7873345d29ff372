// Prepares a checkout: installs the locked dependencies and builds the pages and the manual, each only if needed.
// Runs on the machine's own Node (18 or later), because the project's Node comes with the dependencies.
//
//   node scripts/install.mjs            before `npm start`: the service starts also when a build fails. After the builds,
//                                       packages that only they need are removed
//   node scripts/install.mjs --strict   a build that fails is an error
//   node scripts/install.mjs --development  also installs what only tests and checks use
//   node scripts/install.mjs --tests    before `npm test`: both, and programs for the tests are installed
//   node scripts/install.mjs --pages    only builds, strictly: a running test must keep its dependencies
//   node scripts/install.mjs --plan     only says what would be done
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { giveUp, root, say, withLock } from './install/checkout.mjs'
import { dependenciesAreInstalled, installDependencies, keepService } from './install/dependencies.mjs'
import { buildOutdated, outdatedBuilds } from './install/pages.mjs'
import { linkProjectNode, projectNode } from './install/project-node.mjs'

const tests = process.argv.includes('--tests')
const development = tests || process.argv.includes('--development')
const pagesOnly = process.argv.includes('--pages')
const strict = tests || pagesOnly || process.argv.includes('--strict')

/** What has to be installed now. */
const level = () => (development ? 'development' : outdatedBuilds().length > 0 ? 'build' : 'service')

if (process.argv.includes('--plan')) {
  if (!dependenciesAreInstalled(level())) console.log('install dependencies')
  for (const { name } of outdatedBuilds()) console.log(`build ${name}`)
} else {
  if (!pagesOnly && !dependenciesAreInstalled(level())) await withLock(install)
  linkProjectNode()
  const node = projectNode()
  // During the build; this process ends after both.
  if (tests) spawn(node, [join(root, 'scripts', 'install-test-programs.ts')], { stdio: ['ignore', 2, 2] })
  if (outdatedBuilds().length > 0 && (pagesOnly || dependenciesAreInstalled(level())))
    await withLock(async () => {
      await buildOutdated(node, strict)
      if (!pagesOnly && outdatedBuilds().length === 0) keepService()
    })
}

async function install() {
  const wanted = level()
  if (dependenciesAreInstalled(wanted) || (await installDependencies(wanted))) return
  const problem = 'The dependencies were not installed; npm says why above.'
  if (strict || development || !dependenciesAreInstalled('service')) giveUp(`${problem} Run the command again.`)
  say(`${problem} The service starts with the pages and the manual as they are.`)
}
