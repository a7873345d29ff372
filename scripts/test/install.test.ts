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
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { withoutEnginesOfOptionalPackages } from '../lockfile.ts'
import { type CheckoutCopy, freshCheckout } from './checkout-copy.ts'

const NOBODY = 65_534

/** Runs `questboard` by a Node that calls itself old, and says which ones run. */
function questboardUnderOldNode(checkout: CheckoutCopy, ...words: string[]) {
  const old = 'Object.defineProperty(process,"version",{value:"v20.19.0"});console.error(process.execPath)'
  return spawnSync(process.execPath, [checkout.file('server', 'src', 'command', 'questboard.mjs'), ...words], {
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(old)}` },
    encoding: 'utf8',
  })
}

test('the lockfile binds no optional package to a version of Node; `npm run generate` puts it right', () => {
  const lockfile = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')
  expect(withoutEnginesOfOptionalPackages(lockfile)).toBe(lockfile)
})

describe('a fresh checkout', () => {
  let checkout: CheckoutCopy
  beforeEach(() => {
    checkout = freshCheckout()
  })
  afterEach(() => checkout.remove())

  test('needs its dependencies, its pages and its manual', async () => {
    expect(await checkout.plan()).toEqual(['install dependencies', 'build pages', 'build manual'])
    expect(checkout.npmCalls()).toEqual([])
  })

  test('has no dependencies after an npm that was interrupted, and begins anew', async () => {
    const first = await checkout.install([], { env: { NPM_INTERRUPTED: 'yes' } })
    expect(first.status).toBe(1)
    expect(first.stderr).toContain('The dependencies were not installed')
    expect(await checkout.plan()).toContain('install dependencies')
  })

  test('says so when there is no npm', async () => {
    const { status, stderr } = await checkout.install([], { env: { PATH: '/nowhere' } })
    expect(status).toBe(1)
    expect(stderr).toContain('npm could not be started')
    expect(stderr).not.toContain('    at ')
  })

  test('has no command for an old Node, and says what it needs', () => {
    const { status, stdout, stderr } = questboardUnderOldNode(checkout, '--version')
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /\nQuestboard needs Node 24 or later\. This machine has v20\.19\.0, .*Install Node 24: .*\n$/,
    )
  })

  test('says how far npm is, and which proxy accepts no connection', async () => {
    const proxy = { HTTPS_PROXY: 'http://user:secret@127.0.0.1:9' }
    const { stderr } = await checkout.install([], { env: { NPM_SECONDS: '14', ...proxy } })
    expect(stderr).toMatch(/^ {2}10 s: 0 of \d{3} packages$/m)
    expect(stderr).toContain('The proxy http://127.0.0.1:9 accepts no connection (ECONNREFUSED).')
    expect(stderr).not.toContain('secret')
  })

  test('that cannot be written says so', async () => {
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
  }, 120_000)
  afterAll(() => prepared.remove())
  beforeEach(() => {
    checkout = prepared.copy()
  })
  afterEach(() => checkout.remove())

  test('was installed from the lockfile without development packages, and has its pages and its manual', () => {
    expect(prepared.npmCalls()).toEqual([expect.stringMatching(/^ci --omit=dev --include=optional /)])
    for (const folder of ['web', 'manual'])
      expect(existsSync(prepared.file(folder, 'dist', 'index.html')), folder).toBe(true)
  })

  test('installs development packages once, and needs nothing after that, also to start', async () => {
    // npm leaves a list only of what it installed.
    rmSync(checkout.file('node_modules', '.package-lock.json'))
    expect(await checkout.plan()).toEqual([])
    expect(await checkout.plan('--development')).toEqual(['install dependencies'])
    expect((await checkout.install(['--development'])).status).toBe(0)
    expect(checkout.npmCalls()).toEqual([expect.stringMatching(/^ci --include=dev --include=optional /)])
    expect(await checkout.plan('--development')).toEqual([])
    expect(await checkout.plan()).toEqual([])
  })

  test('needs nothing, and nothing is done or said', async () => {
    expect(await checkout.plan()).toEqual([])
    expect(await checkout.install()).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(checkout.npmCalls()).toEqual([])
  })

  test('has a command that an old Node hands on to the one among the dependencies, with its exit status', () => {
    const { stdout, stderr } = questboardUnderOldNode(checkout, '--version')
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(stderr.trim().split('\n')).toHaveLength(2)
    expect(questboardUnderOldNode(checkout, 'impotr')).toMatchObject({ status: 1, stdout: '' })
  })

  test('needs nothing where it cannot be written', async () => {
    expect(await asSomeoneElse(checkout)).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  test('needs new pages after a change of their sources, not after one of the service', async () => {
    appendFileSync(checkout.file('server', 'src', 'main.ts'), '\n')
    expect(await checkout.plan()).toEqual([])
    appendFileSync(checkout.file('web', 'src', 'theme.ts'), '\n')
    expect(await checkout.plan()).toEqual(['build pages'])
  })

  test.each(['docs/quick-start.md', 'CONTRIBUTING.md', 'manual/contents.ts', 'bench/plots/soak.svg'])(
    'needs a new manual after a change of %s',
    async (file) => {
      appendFileSync(checkout.file(file), '\n')
      expect(await checkout.plan()).toEqual(['build manual'])
    },
  )

  test.each(['added', 'removed'])('needs new pages after a file of theirs was %s', async (change) => {
    if (change === 'added') writeFileSync(checkout.file('web', 'src', 'another.ts'), '')
    else rmSync(checkout.file('web', 'src', 'theme.ts'))
    expect(await checkout.plan()).toEqual(['build pages'])
  })

  test('needs everything after a change of the lockfile', async () => {
    appendFileSync(checkout.file('package-lock.json'), '\n')
    rmSync(checkout.file('node_modules', '.package-lock.json'))
    expect(await checkout.plan()).toEqual(['install dependencies', 'build pages', 'build manual'])
  })

  test('installed by hand needs no installation', async () => {
    rmSync(checkout.file('node_modules', '.questboard-installed'))
    expect(await checkout.plan()).toEqual([])
  })

  test('is not taken in by a list of npm that a package does not match', async () => {
    rmSync(checkout.file('node_modules', '.questboard-installed'))
    rmSync(checkout.file('node_modules', 'vite'))
    expect(await checkout.plan()).toEqual(['install dependencies'])
  })

  test('needs its dependencies when a package of the repository has a new name', async () => {
    rmSync(checkout.file('node_modules', '.questboard-installed'))
    rmSync(checkout.file('node_modules', '@questboard')) // a link to the folder of this checkout
    expect(await checkout.plan()).toEqual(['install dependencies'])
  })

  test('needs new pages when a build was interrupted, whatever it left', async () => {
    rmSync(checkout.file('web', 'dist', '.fingerprint'))
    mkdirSync(checkout.file('web', 'dist.new', 'assets'), { recursive: true })
    expect(await checkout.plan()).toEqual(['build pages'])
  })

  test('keeps its old pages, and starts, when new ones cannot be built; strictly it is an error', async () => {
    writeFileSync(checkout.file('web', 'src', 'main.tsx'), 'this is not TypeScript')
    const lenient = await checkout.install()
    expect(lenient.status).toBe(0)
    expect(lenient.stderr).toContain('The pages could not be built')
    expect(existsSync(checkout.file('web', 'dist', 'index.html'))).toBe(true)
    expect((await checkout.install(['--strict'])).status).toBe(1)
    expect(await checkout.plan()).toEqual(['build pages'])
  })

  test('keeps its old manual, and starts, when a link in it is broken; strictly it is an error', async () => {
    appendFileSync(checkout.file('docs', 'README.md'), '\n[nowhere](/nowhere)\n')
    const lenient = await checkout.install()
    expect(lenient.status).toBe(0)
    expect(lenient.stderr).toContain('dead link /nowhere')
    expect(lenient.stderr).toContain('The manual could not be built')
    expect(existsSync(checkout.file('manual', 'dist', 'index.html'))).toBe(true)
    expect((await checkout.install(['--strict'])).status).toBe(1)
  })

  test('is prepared once when two commands start at the same time', async () => {
    rmSync(checkout.file('node_modules'), { recursive: true })
    const outcomes = await Promise.all([1, 2].map(() => checkout.install([], { env: { NPM_SECONDS: '0.5' } })))
    expect(outcomes.map(({ status }) => status)).toEqual([0, 0])
    expect(outcomes.map(({ stderr }) => stderr).join('')).toContain('waiting for it')
    expect(checkout.npmCalls()).toHaveLength(1)
  })

  test('is not blocked by the lock of a command that was killed', async () => {
    rmSync(checkout.file('node_modules'), { recursive: true })
    symlinkSync('999999999', checkout.file('.questboard-installing'))
    expect((await checkout.install()).status).toBe(0)
    expect(existsSync(checkout.file('.questboard-installing'))).toBe(false)
  })
})

/** Runs as a user who may read the checkout but not write it: root as nobody, others on a checkout they closed. */
async function asSomeoneElse(checkout: CheckoutCopy) {
  if (process.getuid?.() === 0) {
    // The Node in use may lie where nobody may not look.
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
