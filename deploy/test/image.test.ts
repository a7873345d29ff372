import { execFile } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../server/test/support/database.ts'
import { assemble, ignoredBy, productionPackages, stagesOf } from './dockerfile.ts'
import { QUICK, start, type Started, startRelay } from './started.ts'

const run = promisify(execFile)
const CHECKOUT = join(import.meta.dirname, '../..')
const NOBODY = 65_534
const file = (name: string) => readFileSync(join(CHECKOUT, name), 'utf8')

const stages = stagesOf(file('deploy/Dockerfile'))
const last = stages.at(-1)!.instructions
const steps = stages[0]!.instructions.filter(({ name }) => name === 'RUN').map(({ words }) => words)
const worded = (name: string) => last.filter((each) => each.name === name).map(({ words }) => words)

/**
 * Without a container engine, this test assembles the files of the last stage from its COPY lines and from the packages
 * of its `npm ci`, and runs the CMD as a user without write access.
 */
describe('the files of the image', () => {
  let place: string
  let database: TestDatabase
  let service: Started
  let environment: Record<string, string>
  let relay: Awaited<ReturnType<typeof startRelay>>
  let uid: { uid?: number; gid?: number }

  beforeAll(async () => {
    place = mkdtempSync(join(tmpdir(), 'questboard image '))
    const build = join(place, 'build')
    const image = join(place, 'image')
    const ignored = ignoredBy(file('deploy/Dockerfile.dockerignore'))
    cpSync(CHECKOUT, build, { recursive: true, filter: (source) => !ignored(relative(CHECKOUT, source)) })
    // The tests of a fresh checkout build the same pages.
    for (const folder of ['web/dist', 'manual/dist'])
      cpSync(join(CHECKOUT, folder), join(build, folder), { recursive: true })
    for (const path of productionPackages(CHECKOUT)) {
      if (path.startsWith('node_modules/') && path.lastIndexOf('node_modules/') > 0) continue // Comes with its parent package.
      mkdirSync(join(build, path, '..'), { recursive: true })
      // A workspace stays a link to its folder, because Node runs no TypeScript in node_modules.
      const copied = path.startsWith('node_modules/@questboard/') ? { verbatimSymlinks: true } : { dereference: true }
      cpSync(join(CHECKOUT, path), join(build, path), { recursive: true, ...copied })
    }
    // A checkout that was updated under umask 077 has such files.
    chmodSync(join(build, 'server/src/main.ts'), 0o600)
    // The steps after the last `npm ci` delete files that the service does not need.
    for (const step of steps.slice(steps.findLastIndex((words) => words.startsWith('npm ci')) + 1))
      await run('sh', ['-c', step], { cwd: build })
    await assemble(last, { from: { build }, image })

    database = await createTestDatabase()
    const secrets = join(place, 'secrets')
    mkdirSync(secrets)
    relay = await startRelay()
    writeFileSync(join(secrets, 'url'), `${relay.url(database)}\n`)
    writeFileSync(join(secrets, 'secret'), 'a secret of at least thirty-two characters\n')
    environment = {
      NODE_ENV: /NODE_ENV=(\w+)/.exec(worded('ENV').join(' '))?.[1] ?? '',
      PORT: '0',
      DATABASE_URL_FILE: join(secrets, 'url'),
      QUESTBOARD_SECRET_FILE: join(secrets, 'secret'),
      QUESTBOARD_DATA_DIR: '/proc/nowhere',
      QUESTBOARD_STOP_NOTICE_SECONDS: QUICK.QUESTBOARD_STOP_NOTICE_SECONDS,
    }
    // The plain user may not have access to the folder of the current Node.
    const node = join(place, 'node')
    cpSync(process.execPath, node)
    uid = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
    // Independent of the umask of this test.
    await run('find', [place, '-type', 'd', '-exec', 'chmod', 'a+rx', '{}', '+'])
    await run('chmod', ['-R', 'a+rX', secrets, node])
    const [command, ...words] = JSON.parse(worded('CMD')[0] ?? '') as string[]
    expect(command).toBe('node')
    service = await start(node, words, { cwd: join(image, 'app'), env: environment, ...uid })
  })
  afterAll(async () => {
    await service?.terminate()
    relay?.server.close()
    await database?.drop()
    rmSync(place, { recursive: true, force: true })
  })

  test('serves queries, the manual, the schema and the pages', async () => {
    for (const path of ['/docs', '/docs/typescript-client', '/docs/results', '/schema.graphql', '/', '/account'])
      expect({ path, status: (await fetch(service.url + path)).status }).toEqual({ path, status: 200 })
    const refused = await fetch(`${service.url}/query`, { method: 'POST', body: '{"query":"{ __typename }"}' })
    expect(refused.status).toBe(401)
  })

  test('passes its health check', async () => {
    const [check = ''] = worded('HEALTHCHECK').map((words) => words.slice(words.indexOf('CMD ') + 'CMD '.length))
    const [, ...words] = JSON.parse(check) as string[]
    const { port } = new URL(service.url)
    await expect(run(process.execPath, words, { env: { PORT: port } })).resolves.toBeDefined()
    await expect(run(process.execPath, words, { env: { PORT: '1' } })).rejects.toMatchObject({ code: 1 })
  })

  test('exits with 0 after SIGTERM', async () => {
    expect(await service.terminate()).toBe(0)
  })
})

describe('the Dockerfile', () => {
  test('builds in the first stage and does not run as root', () => {
    expect(stages.map(({ name }) => name)).toEqual(['build', 'node', undefined])
    expect(worded('USER')).toEqual(['1000:1000'])
    expect(worded('EXPOSE')).toEqual(['4000'])
  })

  test('installs from the lockfile, and builds the pages with the public command', () => {
    expect(steps[0]).toMatch(/^npm ci --ignore-scripts/)
    expect(steps[1]).toBe('node scripts/install.mjs --pages')
    expect(steps[2]).toMatch(/^npm ci --workspace=server --omit=dev --omit=optional --ignore-scripts/)
    expect(steps.at(-1)).toBe('chmod -R a+rX .')
  })

  test('uses a Node version that package.json and the scripts accept', () => {
    const [, major] = /^node:(\d+)-/.exec(stages[0]!.instructions[0]!.words) ?? []
    const oldest = /OLDEST = (\d+)/.exec(file('scripts/install/project-node.mjs'))?.[1]
    expect(Number(major)).toBeGreaterThanOrEqual(Number(oldest))
  })
})
