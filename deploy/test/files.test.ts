import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { describeSettings } from '../../server/src/config.ts'
import { MAX_KEPT_BYTES } from '../../server/src/ingest-uploads/limits.ts'
import { MAX_BYTES } from '../../server/src/ingest/upload.ts'
import { BODY_LIMIT, UPLOAD_LIMIT } from '../../server/src/ingest-api/limits.ts'
import { DRAIN_TIMEOUT } from '../../server/src/lifetimes.ts'
import { createTestDatabase, type TestDatabase } from '../../server/test/support/database.ts'
import { startService, type TestService } from '../../server/test/support/service.ts'
import { QUICK, start, startRelay } from './started.ts'

const CHECKOUT = join(import.meta.dirname, '../..')
/** The commands in the comments are for Linux, and use openssl. */
const hasCommands = process.platform === 'linux' && existsSync('/usr/bin/openssl')
const file = (name: string) => readFileSync(join(CHECKOUT, 'deploy', name), 'utf8')

const settings = new Map(describeSettings().map(({ name, staticDefault }) => [name, staticDefault]))
const port = Number(settings.get('PORT'))
const known = (name: string) => settings.has(name) || settings.has(name.replace(/_FILE$/, ''))
const unknown = (names: readonly string[]) => names.filter((name) => !known(name))
const drainSeconds = DRAIN_TIMEOUT / 1_000
const notice = Number(settings.get('QUESTBOARD_STOP_NOTICE_SECONDS'))

let database: TestDatabase
let service: TestService
beforeAll(async () => {
  database = await createTestDatabase()
  service = await startService({
    database,
    settings: { QUESTBOARD_SECRET: 'a secret of at least thirty-two characters' },
  })
})
afterAll(async () => {
  await service.stop()
  await database.drop()
})
/** The commands in the comment at the top of a file. */
const commandsAtTheTop = (text: string): string[] =>
  [...(/^(#.*\n)+/.exec(text)?.[0] ?? '').matchAll(/^# {3}(.*?)(?: {2,}#.*)?$/gm)].map(([, command = '']) => command)

const status = async (path: string) => (await fetch(service.url + path)).status

interface Container {
  env: { name: string; value: string }[]
  ports: { name: string; containerPort: number }[]
  startupProbe: Probe
  livenessProbe: Probe
  readinessProbe: Probe
  volumeMounts: { name: string; mountPath: string }[]
  securityContext: object
}
interface Probe {
  httpGet: { path: string; port: string }
  periodSeconds: number
  failureThreshold: number
}

describe('compose.yaml', () => {
  const compose = parse(file('compose.yaml')) as {
    services: Record<
      'questboard' | 'postgres',
      {
        environment: Record<string, string>
        command?: string
        secrets: string[]
        ports: string[]
        stop_grace_period: string
      }
    >
    secrets: Record<string, { file: string }>
  }
  const { questboard, postgres } = compose.services

  test('names only existing settings, and declares the files of all secrets', () => {
    expect(unknown(Object.keys(questboard.environment))).toEqual([])
    for (const [name, value] of Object.entries({ ...questboard.environment, ...postgres.environment }))
      if (name.endsWith('_FILE')) expect(Object.keys(compose.secrets)).toContain(value.replace('/run/secrets/', ''))
    expect([...questboard.secrets, ...postgres.secrets].toSorted()).toEqual(Object.keys(compose.secrets).toSorted())
  })

  test('allows enough PostgreSQL connections for the default number of workers and for commands', () => {
    const [, allowed] = / -c max_connections=(\d+)$/.exec(postgres.command ?? '') ?? []
    const [, ofWorkers, ofCommands] = /up to (\d+) connections, and each command up to (\d+) more/.exec(
      file('compose.yaml'),
    ) as RegExpExecArray
    const documented = file('../docs/operations.md').replaceAll(/\s+/g, ' ')
    expect(documented).toContain(`${ofWorkers} with eight`)
    expect(documented).toContain(`Each command uses up to ${ofCommands} in addition.`)
    expect(Number(allowed)).toBeGreaterThan(Number(ofWorkers) + 2 * Number(ofCommands))
  })

  test('keeps its secrets out of git and out of the image', () => {
    for (const secret of Object.values(compose.secrets)) expect(secret.file).toMatch(/^\.\/secrets\/\w+$/)
    expect(file('../.gitignore').split('\n')).toContain('/deploy/secrets/')
    expect(file('Dockerfile.dockerignore').split('\n')).toContain('deploy')
  })

  test.skipIf(!hasCommands)('uses the files that the commands in its comment create', () => {
    const folder = mkdtempSync(join(tmpdir(), 'questboard-compose-'))
    const top = commandsAtTheTop(file('compose.yaml')).filter((line) => !line.startsWith('docker'))
    execFileSync('sh', ['-ec', top.join('\n')], { cwd: folder })
    const made = (name: string) => readFileSync(join(folder, 'deploy', name), 'utf8').trim()
    for (const secret of Object.values(compose.secrets)) expect(made(secret.file)).not.toBe('')
    const { password, host, pathname, username } = new URL(made('secrets/database_url'))
    const { POSTGRES_USER, POSTGRES_DB } = postgres.environment
    expect([username, host, pathname]).toEqual([POSTGRES_USER, 'postgres', `/${POSTGRES_DB}`])
    expect(password).toBe(made('secrets/postgres_password'))
    expect(made('secrets/questboard_secret').length).toBeGreaterThanOrEqual(32)
    // The folder is closed to other users; the container's user can read each file.
    expect(statSync(join(folder, 'deploy/secrets')).mode & 0o077).toBe(0)
    expect(statSync(join(folder, 'deploy/secrets/database_url')).mode & 0o004).toBe(0o004)
    expect(made('.env')).toBe('QUESTBOARD_PUBLIC_URL=https://quests.example.org')
    rmSync(folder, { recursive: true })
  })

  test('publishes the port only on this machine, and gives requests time to end', () => {
    expect(questboard.ports).toEqual([`127.0.0.1:${port}:${port}`])
    expect(parseInt(questboard.stop_grace_period)).toBeGreaterThan(notice + drainSeconds)
    expect(questboard).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
  })
})

describe('kubernetes/questboard.yaml', () => {
  const documents = parseAllDocuments(file('kubernetes/questboard.yaml'))
  const objects = documents.map((each) => each.toJS() as { kind: string; data: object; spec: object })
  const one = <Shape>(kind: string) => objects.find((each) => each.kind === kind) as Shape
  const deployment = one<{
    spec: {
      replicas: number
      strategy: { rollingUpdate: object }
      selector: { matchLabels: object }
      template: {
        metadata: { labels: object; annotations: Record<string, string> }
        spec: { terminationGracePeriodSeconds: number; securityContext: object; containers: [Container] }
      }
    }
  }>('Deployment')
  const { template } = deployment.spec
  const [container] = template.spec.containers

  test('is valid YAML with one object of each kind', () => {
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([])
    expect(objects.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Deployment', 'Service', 'PodDisruptionBudget'])
  })

  test('names only existing settings', () => {
    const { data } = one<{ data: object }>('ConfigMap')
    expect(unknown([...Object.keys(data), ...container.env.map(({ name }) => name)])).toEqual([])
    const [mount] = container.volumeMounts
    for (const { value } of container.env) expect(value.startsWith(`${mount?.mountPath}/`)).toBe(true)
  })

  test('uses existing paths and ports', async () => {
    const { startupProbe, livenessProbe, readinessProbe } = container
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
      expect(await status(httpGet.path)).toBe(200)
      expect(container.ports).toContainEqual({ name: httpGet.port, containerPort: port })
    }
    const minutes = (startupProbe.periodSeconds * startupProbe.failureThreshold) / 60
    expect({ 5: 'five' }[minutes]).toBe(/Kubernetes waits (\w+) minutes here/.exec(file('../docs/deploy.md'))?.[1])
    const { annotations } = template.metadata
    expect(await status(annotations['prometheus.io/path'] ?? '')).toBe(200)
    expect(annotations['prometheus.io/port']).toBe(String(port))
  })

  test('keeps an instance during an upgrade or a drain, and gives requests time to end', () => {
    const { selector } = deployment.spec
    expect(deployment.spec.replicas).toBe(2)
    expect(deployment.spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 })
    expect(template.metadata.labels).toMatchObject(selector.matchLabels)
    expect(one<{ spec: object }>('PodDisruptionBudget').spec).toEqual({ minAvailable: 1, selector })
    expect(one<{ spec: object }>('Service').spec).toMatchObject({ selector: selector.matchLabels })
    const notice = Number(one<{ data: Record<string, string> }>('ConfigMap').data.QUESTBOARD_STOP_NOTICE_SECONDS)
    const { periodSeconds, failureThreshold } = container.readinessProbe
    expect(notice).toBeGreaterThan(periodSeconds * failureThreshold)
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(notice + drainSeconds)
  })

  test('runs as an unprivileged user on a read-only file system', () => {
    expect(template.spec.securityContext).toMatchObject({ runAsNonRoot: true })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })
})

describe('questboard.service', () => {
  const unit = file('questboard.service')
  const values = (key: string) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value)
  const environment = Object.fromEntries(values('Environment').map((line) => line.split('=') as [string, string]))

  const ofTheRuntime = ['NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX']

  test('has the same settings as the command', () => {
    const ofCommands = file('questboard.defaults.env')
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
    const ofService = Object.entries(environment)
      .filter(([name]) => !ofTheRuntime.includes(name))
      .map(([name, value]) => `${name}=${value.replace('%d', '/etc/questboard')}`)
    expect(ofCommands.sort()).toEqual(ofService.sort())
    expect(file('questboard.sh')).toContain(` --env-file-if-exists=${values('EnvironmentFile')[0]?.slice(1)} `)
  })

  test('names only existing settings and declared credentials', () => {
    expect(unknown(Object.keys(environment)).filter((name) => !ofTheRuntime.includes(name))).toEqual([])
    const credentials = values('LoadCredential').map((line) => line.split(':')[0])
    for (const [name, value] of Object.entries(environment))
      if (name.endsWith('_FILE')) expect(credentials).toContain(value.replace('%d/', ''))
    expect(Number(values('TimeoutStopSec')[0])).toBeGreaterThan(notice + drainSeconds)
  })

  test('runs Node with the options of npm start, like the image', () => {
    const words = readFileSync(join(CHECKOUT, 'scripts/start'), 'utf8').split(/\s+/)
    const options = words.filter((word) => word.startsWith('--'))
    expect(options.length).toBeGreaterThan(0)
    expect((values('ExecStart')[0] ?? '').split(' ').slice(1, -1)).toEqual(options)
    expect(file('Dockerfile')).toContain(
      `CMD ${JSON.stringify(['node', ...options])
        .replaceAll(',', ', ')
        .slice(0, -1)},`,
    )
  })

  test('starts and stops the service with its command line and environment', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'questboard-unit-'))
    const relay = await startRelay()
    writeFileSync(join(folder, 'database-url'), relay.url(database))
    writeFileSync(join(folder, 'secret'), 'a secret of at least thirty-two characters')
    const here = (text: string) =>
      text
        .replaceAll('%d', folder)
        .replaceAll('/opt/questboard', CHECKOUT)
        .replaceAll(/\/var\/(lib|cache)/g, folder)
    const env = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, here(value)]))
    // The path of the checkout may have spaces.
    const [command = '', ...words] = (values('ExecStart')[0] ?? '').split(' ').map(here)
    const cwd = here(values('WorkingDirectory')[0] ?? '')
    const started = await start(command, words, { cwd, env: { ...env, PORT: '0', ...QUICK } })
    expect((await fetch(`${started.url}/readyz`)).status).toBe(200)
    expect(await started.terminate()).toBe(0)
    relay.server.close()
    rmSync(folder, { recursive: true })
  })

  test.skipIf(!hasCommands)(
    'gives the command its settings, from the files that the commands in its comment create',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'questboard-unit-'))
      const here = (text: string) =>
        text.replaceAll('/opt/questboard', `"${CHECKOUT}"`).replaceAll('/etc/questboard', join(folder, 'etc'))
      const top = commandsAtTheTop(unit).filter((line) => !/^useradd|systemctl/.test(line))
      const installing = here(top.join('\n')).replace('/usr/local/bin', folder)
      execFileSync('sh', ['-ec', installing])
      for (const path of ['', 'secret', 'database-url', 'questboard.env'])
        expect(statSync(join(folder, 'etc', path)).mode & 0o077, path).toBe(0)
      // The operator's file overrides the unit, and the shell environment has no effect.
      appendFileSync(
        join(folder, 'etc', 'questboard.env'),
        'HOST=127.0.0.2\nQUESTBOARD_MAIL_FROM="Quests #1 <q@example.org>"\nQUESTBOARD_SMTP_URL=smtp://mail\n',
      )
      const defaults = join(folder, 'defaults.env')
      writeFileSync(defaults, here(file('questboard.defaults.env')))
      const installed = readFileSync(join(folder, 'questboard'), 'utf8')
      const script = here(installed.replace(/--env-file=\S+/, `--env-file=${defaults}`))
      const shown = `\n${execFileSync('sh', ['-c', script, 'questboard', 'config'], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, PORT: '1', QUESTBOARD_PUBLIC_URL: 'https://shell.example' },
      })}`
      expect(shown).toContain('\nQUESTBOARD_PUBLIC_URL=https://quests.example.org  (')
      expect(shown).toContain('\nPORT=4000  (default)')
      expect(shown).toContain('\nHOST=127.0.0.2  (')
      expect(shown).toContain(
        '\nDATABASE_URL=postgres://questboard:***@db.internal/questboard  (from the file in DATABASE_URL_FILE)',
      )
      expect(shown).toContain('\nQUESTBOARD_SECRET=***  (from the file in QUESTBOARD_SECRET_FILE)')
      expect(shown).toContain('\nQUESTBOARD_MAIL_FROM=Quests #1 <q@example.org>  (')
      expect(shown).toContain(`\nQUESTBOARD_DATA_DIR=${environment.QUESTBOARD_DATA_DIR}  (from the environment)`)
      rmSync(folder, { recursive: true })
    },
  )

  test.skipIf(!existsSync('/usr/bin/systemd-analyze'))(
    'passes the checks of systemd, also for its security level',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'questboard-unit-'))
      const path = join(folder, 'questboard.service')
      writeFileSync(path, unit.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'))
      expect(execFileSync('systemd-analyze', ['verify', path], { encoding: 'utf8', stdio: 'pipe' })).toBe('')
      const report = execFileSync('systemd-analyze', ['security', '--offline=yes', path], { encoding: 'utf8' })
      expect(Number(/level for questboard\.service: ([\d.]+)/.exec(report)?.[1])).toBeLessThan(2)
      rmSync(folder, { recursive: true })
    },
  )
})

describe('nginx.conf', () => {
  const site = file('nginx.conf')
  const value = (name: string) => new RegExp(`\\b${name} ([^;]+);`).exec(site)?.[1] ?? ''

  test('closes idle connections before the service does', () => {
    expect(parseInt(value('keepalive_timeout')) * 1_000).toBeLessThan(service.app.server.keepAliveTimeout)
  })

  test('has the body limits and timeouts of the service', () => {
    const sizes = [...site.matchAll(/client_max_body_size (\d+)([mg])/g)].map(
      ([, size, unit]) => Number(size) * 1024 ** (unit === 'm' ? 2 : 3),
    )
    expect(sizes[0]).toBe(BODY_LIMIT)
    expect(sizes).toHaveLength(4)
    expect(Math.min(...sizes.slice(1, 3))).toBeGreaterThanOrEqual(Math.max(UPLOAD_LIMIT, MAX_BYTES))
    expect(sizes[3]).toBeGreaterThanOrEqual(MAX_KEPT_BYTES)
    expect(site.match(/proxy_request_buffering off;/g)).toHaveLength(3)
    expect(/location = \/api\/operator\/imports \{[^}]*\}/.exec(site)?.[0]).toContain('proxy_buffering off;')
    expect(site).toContain(`allowed: ${BODY_LIMIT} bytes`)
    expect(parseInt(value('client_header_timeout')) * 1_000).toBe(service.app.server.headersTimeout)
    expect(parseInt(value('client_body_timeout')) * 1_000).toBe(service.app.server.requestTimeout)
  })

  test('names only existing paths', async () => {
    const uploads = [...site.matchAll(/location = (\/\S+) \{\s+client_max_body_size/g)].map(([, path = '']) => path)
    expect(uploads).toEqual(['/ingest/v1/holders/replace', '/api/operator/imports', '/api/operator/imports/uploads'])
    for (const path of uploads) {
      // The request lacks a token or CSRF token; an unknown path would be 404.
      expect([401, 403], path).toContain((await fetch(service.url + path, { method: 'POST' })).status)
    }
    const [, paths = ''] = /location ~ \^\/\(([a-z|]+)\)\$/.exec(site) ?? []
    for (const path of paths.split('|')) expect(await status(`/${path}`)).toBe(200)
    expect(site).toContain(`server 127.0.0.1:${port} `)
  })
})
