import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { giveUp, readText, root, say } from './checkout.mjs'

const NOT_SOURCES = ['.temp', 'cache', 'dist', 'node_modules', 'test']

/** Each is built by its own tool into the folder `dist`. */
const BUILDS = [
  { name: 'pages', folder: 'web', sources: ['web', 'client/src'], tool: ['vite', 'bin/vite.js'] },
  {
    name: 'manual',
    folder: 'manual',
    sources: [
      ...['manual', 'docs', 'bench/plots', 'bench/README.md', 'bench/RESULTS.md', 'client/README.md'],
      ...['CONTRIBUTING.md', 'examples/README.md', 'package.json', 'web/public/assets/icon.svg'],
    ],
    tool: ['vitepress', 'bin/vitepress.js'],
  },
]

/** The builds whose result does not match their sources. */
export const outdatedBuilds = () =>
  BUILDS.filter((build) => readText(build.folder, 'dist', '.fingerprint') !== fingerprint(build))

export async function buildOutdated(node, required) {
  const outdated = outdatedBuilds()
  for (const { name } of outdated) say(`Building the ${name} (once after a change; some seconds)…`)
  const results = await Promise.all(outdated.map((build) => run(node, build)))
  const failed = outdated.filter((_, index) => !results[index]).map(({ name }) => name)
  for (const name of failed) say(`The ${name} could not be built; the reason is printed above.`)
  if (failed.length === 0) return
  if (required) giveUp('Correct this and run the command again.')
  say('The service starts without the result.')
}

/** Builds into a separate folder and swaps at the end, so that a running service never serves a mixture. */
async function run(node, build) {
  const folder = join(root, build.folder)
  const built = join(folder, 'dist.new')
  const old = join(folder, 'dist.old')
  const tool = join(root, 'node_modules', ...build.tool)
  const wanted = fingerprint(build)
  clear(built, old)
  const running = spawn(node, [tool, 'build', '--outDir', built, '--logLevel', 'error'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const output = []
  for (const stream of [running.stdout, running.stderr]) stream.on('data', (chunk) => output.push(chunk))
  const [status] = await once(running, 'close')
  if (status === 0) {
    writeFileSync(join(built, '.fingerprint'), wanted)
    setAside(join(folder, 'dist'), old)
    renameSync(built, join(folder, 'dist'))
  } else say(Buffer.concat(output).toString())
  clear(built, old)
  return status === 0
}

function clear(...folders) {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

function setAside(from, to) {
  try {
    renameSync(from, to)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

/** A hash of the source files and of the versions of the libraries. */
function fingerprint({ sources }) {
  const hash = createHash('sha256').update(readText('package-lock.json'))
  for (const file of sources.flatMap((source) => filesIn(join(root, source)))) {
    hash.update(`\0${relative(root, file).split(sep).join('/')}\0`).update(readFileSync(file))
  }
  return hash.digest('hex')
}

function filesIn(path) {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isDirectory()) return found ? [path] : []
  return readdirSync(path)
    .filter((name) => !NOT_SOURCES.includes(name.replace(/^(dist)\..*/, '$1')))
    .sort()
    .flatMap((name) => filesIn(join(path, name)))
}
