import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { withoutEnginesOfOptionalPackages } from '../lockfile.ts'
import { type CheckoutCopy, freshCheckout, type Run } from './checkout-copy.ts'

const NOBODY = 65_534

/** Runs `questboard` with a Node that reports an old version and prints which Node runs. */
function questboardUnderOldNode(checkout: CheckoutCopy, ...words: string[]) {
  const old = 'Object.defineProperty(process,"version",{value:"v20.19.0"});console.error(process.execPath)'
  return spawnSync(process.execPath, [checkout.file('server', 'src', 'command', 'questboard.mjs'), ...words], {
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(old)}` },
    encoding: 'utf8',
  })
}

test('the lockfile limits no optional package to a version of Node (else: npm run generate)', () => {
  const lockfile = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')
  expect(withoutEnginesOfOptionalPackages(lockfile)).toBe(lockfile)
})

describe('a fresh checkout', () => {
  let fresh: CheckoutCopy
  let checkout: CheckoutCopy
  beforeAll(() => {
    fresh = freshCheckout()
  })
  afterAll(() => fresh.remove())
  beforeEach(() => {
    checkout = fresh.copy()
  })
  afterEach(() => checkout.remove())

  test('needs its dependencies, its pages and its manual', async () => {
    expect(await checkout.plan()).toEqual(['install dependencies', 'build pages', 'build manual'])
    expect(checkout.npmCalls()).toEqual([])
  })

  test('installs the dependencies again after an interrupted npm', async () => {
    const first = await checkout.install([], { env: { NPM_INTERRUPTED: 'yes' } })
    expect(first.status).toBe(1)
    expect(first.stderr).toContain('The dependencies were not installed')
    expect(await checkout.plan()).toContain('install dependencies')
  })

  test('reports a missing npm', async () => {
    const { status, stderr } = await checkout.install([], { env: { PATH: '/nowhere' } })
    expect(status).toBe(1)
    expect(stderr).toContain('npm could not be started')
    expect(stderr).not.toContain('    at ')
  })

  test('has no command for an old Node, and names the required version', () => {
    const { status, stdout, stderr } = questboardUnderOldNode(checkout, '--version')
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /\nQuestboard needs Node 24 or later\. This machine has v20\.19\.0, .*Install Node 24: .*\n$/,
    )
  })

  test('reports the progress of npm, and a proxy that accepts no connection', async () => {
    // npm ends without packages, because a report needs no build after it.
    const failing = { HTTPS_PROXY: 'http://user:secret@127.0.0.1:9', NPM_INTERRUPTED: 'yes' }
    const { stderr } = await checkout.install([], npmUntil(checkout, 'accepts no connection', failing))
    expect(stderr).toMatch(/^ {2}\d+ s: 0 of \d{3} packages$/m)
    expect(stderr).toContain('The proxy http://127.0.0.1:9 accepts no connection (ECONNREFUSED).')
    expect(stderr).not.toContain('secret')
  })

  test('reports missing write access', async () => {
    const { status, stderr } = await asSomeoneElse(checkout)
    expect(status).toBe(1)
    expect(stderr).toContain('cannot be written')
    expect(stderr).not.toContain('    at ')
  })
})

describe('a prepared checkout', () => {
  let prepared: CheckoutCopy
  let checkout: CheckoutCopy
  beforeAll(async () => {
    prepared = freshCheckout()
    const { status, stderr } = await prepared.install(['--strict'])
    expect(stderr).toContain('Installing dependencies')
    expect(stderr).toContain('Building the pages')
    expect(stderr).toContain('Building the manual')
    expect(status, stderr).toBe(0)
  })
  afterAll(() => prepared.remove())
  beforeEach(() => {
    checkout = prepared.copy()
  })
  afterEach(() => checkout.remove())

  test('has only the packages of the lockfile without development packages, its pages and its manual', () => {
    expect(prepared.npmCalls()).toEqual([expect.stringMatching(/^ci --omit=dev --include=optional /)])
    const documents = { web: 'app.html', manual: 'index.html' }
    for (const [folder, document] of Object.entries(documents))
      expect(existsSync(prepared.file(folder, 'dist', document)), folder).toBe(true)
  })

  test('keeps no package that only the builds need, and removes nothing behind a link', () => {
    for (const name of ['codemirror', 'react', 'vite', 'vitepress', 'vue'])
      expect([existsSync(prepared.file('node_modules', name)), existsSync(ownPackage(name))]).toEqual([false, true])
    for (const name of ['fastify', 'graphql', 'pg', 'express', '@vue'])
      expect(existsSync(prepared.file('node_modules', name)), name).toBe(true)
    expect(existsSync(ownPackage('@vue', 'shared'))).toBe(true)
  })

  test('installs the build tools again for a change, and removes them after it', async () => {
    appendFileSync(checkout.file('web', 'src', 'theme.ts'), '\n')
    expect(await checkout.install()).toMatchObject({ status: 0 })
    expect(checkout.npmCalls()).toEqual([expect.stringMatching(/^ci --omit=dev /)])
    expect(await checkout.plan()).toEqual([])
    for (const tool of ['vite', 'vitepress']) expect(existsSync(checkout.file('node_modules', tool)), tool).toBe(false)
  })

  test('starts with its old manual when the build tools cannot be installed; strictly it is an error', async () => {
    appendFileSync(checkout.file('docs', 'quick-start.md'), '\n')
    const broken = { env: { NPM_INTERRUPTED: 'yes' } }
    const lenient = await checkout.install([], broken)
    expect(lenient).toMatchObject({ status: 0, stderr: expect.stringContaining('as they are') as unknown })
    for (const kept of ['node_modules/fastify', 'node_modules/.bin', 'manual/dist/index.html'])
      expect(existsSync(checkout.file(kept)), kept).toBe(true)
    expect(existsSync(checkout.file('.questboard-modules'))).toBe(false)
    expect((await checkout.install(['--strict'], broken)).status).toBe(1)
    expect(await checkout.plan()).toEqual(['install dependencies', 'build manual'])
  })

  test('installs development packages once, and nothing after that', async () => {
    // npm leaves a list only of what it installed.
    rmSync(checkout.file('node_modules', '.package-lock.json'))
    expect(await checkout.plan()).toEqual([])
    expect(await checkout.plan('--development')).toEqual(['install dependencies'])
    expect((await checkout.install(['--development'])).status).toBe(0)
    expect(checkout.npmCalls()).toEqual([expect.stringMatching(/^ci --include=dev --include=optional /)])
    expect(await checkout.plan('--development')).toEqual([])
    expect(await checkout.plan()).toEqual([])
  })

  test('does and prints nothing', async () => {
    expect(await checkout.plan()).toEqual([])
    expect(await checkout.install()).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(checkout.npmCalls()).toEqual([])
  })

  test("runs a command under an old Node with the project's Node, and returns its exit status", () => {
    const { stdout, stderr } = questboardUnderOldNode(checkout, '--version')
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(stderr.trim().split('\n')).toHaveLength(2)
    expect(questboardUnderOldNode(checkout, 'impotr')).toMatchObject({ status: 1, stdout: '' })
  })

  test('needs nothing without write access', async () => {
    expect(await asSomeoneElse(checkout)).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  test('rebuilds the pages after a change of their sources, not after one of the service', async () => {
    appendFileSync(checkout.file('server', 'src', 'main.ts'), '\n')
    expect(await checkout.plan()).toEqual([])
    appendFileSync(checkout.file('web', 'src', 'theme.ts'), '\n')
    expect(await checkout.plan()).toEqual(['install dependencies', 'build pages'])
  })

  test.each(['docs/quick-start.md', 'CONTRIBUTING.md', 'manual/contents.ts', 'bench/plots/soak.svg'])(
    'rebuilds the manual after a change of %s',
    async (file) => {
      appendFileSync(checkout.file(file), '\n')
      expect(await checkout.plan()).toEqual(['install dependencies', 'build manual'])
    },
  )

  test.each(['added', 'removed'])('rebuilds the pages after a file of theirs was %s', async (change) => {
    if (change === 'added') writeFileSync(checkout.file('web', 'src', 'another.ts'), '')
    else rmSync(checkout.file('web', 'src', 'theme.ts'))
    expect(await checkout.plan()).toEqual(['install dependencies', 'build pages'])
  })

  test('installs and builds everything after a change of the lockfile', async () => {
    appendFileSync(checkout.file('package-lock.json'), '\n')
    rmSync(checkout.file('node_modules', '.package-lock.json'))
    expect(await checkout.plan()).toEqual(['install dependencies', 'build pages', 'build manual'])
  })

  test('accepts an installation by hand', async () => {
    rmSync(checkout.file('node_modules', '.questboard-installed'))
    expect(await checkout.plan()).toEqual([])
  })

  test("installs again if a package of npm's list is missing", async () => {
    rmSync(checkout.file('node_modules', '.questboard-installed'))
    rmSync(checkout.file('node_modules', 'fastify'))
    expect(await checkout.plan()).toEqual(['install dependencies'])
  })

  test('installs again if a package of the repository has a new name', async () => {
    rmSync(checkout.file('node_modules', '.questboard-installed'))
    rmSync(checkout.file('node_modules', '@questboard')) // A link to the folder of this checkout.
    expect(await checkout.plan()).toEqual(['install dependencies'])
  })

  test('rebuilds the pages after an interrupted build', async () => {
    rmSync(checkout.file('web', 'dist', '.fingerprint'))
    mkdirSync(checkout.file('web', 'dist.new', 'assets'), { recursive: true })
    expect(await checkout.plan()).toEqual(['install dependencies', 'build pages'])
  })

  test('keeps its old pages if the build fails; with --strict the command fails', async () => {
    writeFileSync(checkout.file('web', 'src', 'main.tsx'), 'this is not TypeScript')
    const lenient = await checkout.install()
    expect(lenient.status).toBe(0)
    expect(lenient.stderr).toContain('The pages could not be built')
    expect(existsSync(checkout.file('web', 'dist', 'app.html'))).toBe(true)
    expect((await checkout.install(['--strict'])).status).toBe(1)
    expect(await checkout.plan()).toEqual(['build pages'])
  })

  test('keeps its old manual if a link is broken, and fails with --strict', async () => {
    appendFileSync(checkout.file('docs', 'README.md'), '\n[nowhere](/nowhere)\n')
    const { status, stderr } = await checkout.install(['--strict'])
    expect(status).toBe(1)
    expect(stderr).toContain('dead link /nowhere')
    expect(stderr).toContain('The manual could not be built')
    expect(existsSync(checkout.file('manual', 'dist', 'index.html'))).toBe(true)
  })

  test('runs the preparation once if two commands start at the same time', async () => {
    rmSync(checkout.file('node_modules'), { recursive: true })
    const run = npmUntil(checkout, 'waiting for it')
    const outcomes = await Promise.all([1, 2].map(() => checkout.install([], run)))
    expect(outcomes.map(({ status }) => status)).toEqual([0, 0])
    expect(outcomes.map(({ stderr }) => stderr).join('')).toContain('waiting for it')
    expect(checkout.npmCalls()).toHaveLength(1)
  })

  test('ignores the lock of a killed command', async () => {
    rmSync(checkout.file('node_modules'), { recursive: true })
    symlinkSync('999999999', checkout.file('.questboard-installing'))
    expect((await checkout.install()).status).toBe(0)
    expect(existsSync(checkout.file('.questboard-installing'))).toBe(false)
  })
})

/** A run whose npm ends only after a text has appeared, here or in another run with the same value. */
function npmUntil(checkout: CheckoutCopy, awaited: string, env: Record<string, string> = {}): Run {
  const sign = checkout.file('..', 'npm may end')
  return {
    env: { NPM_WAITS_FOR: sign, ...env },
    onStderr: (text) => text.includes(awaited) && writeFileSync(sign, ''),
  }
}

/** The path of a package in the checkout that runs this test. */
const ownPackage = (...name: string[]) => join(import.meta.dirname, '../../node_modules', ...name)

/**
 * Runs as a user who can read the checkout but not write it: as root with an unprivileged user id, otherwise on a
 * read-only checkout.
 */
async function asSomeoneElse(checkout: CheckoutCopy) {
  if (process.getuid?.() === 0) {
    // The unprivileged user may not have access to the folder of the current Node.
    const node = checkout.file('..', 'bin', 'node')
    cpSync(process.execPath, node)
    return checkout.install([], { node, uid: NOBODY })
  }
  chmodSync(checkout.path, 0o555)
  try {
    return await checkout.install()
  } finally {
    chmodSync(checkout.path, 0o755)
  }
}
