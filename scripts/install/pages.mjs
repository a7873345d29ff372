import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { giveUp, readText, root, say } from './checkout.mjs'

const web = join(root, 'web')
const client = join(root, 'client', 'src')
const NOT_SOURCES = ['dist', 'node_modules', 'test']

/** Whether web/dist was built from the sources as they are. */
export function pagesAreBuilt() {
  return readText('web', 'dist', '.fingerprint') === fingerprint()
}

/** Builds beside the old pages and swaps at the end, so that a running service never serves half of each. */
export function buildPages(node, required) {
  say('Building the pages (once after a change; some seconds)…')
  const built = join(web, 'dist.new')
  const old = join(web, 'dist.old')
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const wanted = fingerprint()
  clear(built, old)
  const { status } = spawnSync(node, [vite, 'build', '--outDir', built, '--logLevel', 'error'], {
    cwd: web,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  if (status === 0) {
    writeFileSync(join(built, '.fingerprint'), wanted)
    setAside(join(web, 'dist'), old)
    renameSync(built, join(web, 'dist'))
  }
  clear(built, old)
  if (status === 0) return
  if (required) giveUp('The pages could not be built; the reason stands above.')
  say('The pages could not be built; the reason stands above. The service starts without them.')
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

/** Of every file that the pages are made from, and of the versions of their libraries. */
function fingerprint() {
  const hash = createHash('sha256').update(readText('package-lock.json'))
  for (const file of [...sources(web), ...sources(client)]) {
    hash.update(`\0${relative(root, file).split(sep).join('/')}\0`).update(readFileSync(file))
  }
  return hash.digest('hex')
}

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => folder !== web || !NOT_SOURCES.includes(entry.name.split('.')[0]))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? sources(join(folder, entry.name)) : [join(folder, entry.name)]))
}
