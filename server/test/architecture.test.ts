import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const SRC = join(import.meta.dirname, '../src')

/** What the files at the top are for: facts that everybody may know, what a process is made of, and the process. */
const topLevel: Record<string, string[]> = {
  foundation: [
    'addresses.ts',
    'characters.ts',
    'clock.ts',
    'config.ts',
    'cores.ts',
    'credential-id.ts',
    'cursor.ts',
    'errors.ts',
    'flow-addresses.ts',
    'installation-folder.ts',
    'lifetimes.ts',
    'log-for-people.ts',
    'log.ts',
    'nearest.ts',
    'random.ts',
    'recent.ts',
    'settings-from-files.ts',
    'static-page.ts',
    'unknown-settings.ts',
  ],
  parts: ['dependencies.ts'],
  process: [
    'app.ts',
    'cannot-listen.ts',
    'graceful-shutdown.ts',
    'greeting.ts',
    'main.ts',
    'serve.ts',
    'single-process.ts',
  ],
}

/**
 * Who may know whom: a room, or one file of a room. A query goes http → access → graphql → feature → sql, and no
 * feature knows another one, http/ or access/.
 */
const mayImport: Record<string, string[]> = {
  foundation: ['foundation', 'settings/identity-settings.ts', 'outgoing/hosts.ts'],
  parts: ['foundation', 'parts', 'database', 'outgoing'],
  process: ['*'],
  workers: [
    'foundation',
    'parts',
    'process',
    'workers',
    'database/connection.ts',
    'http/adopted-connections.ts',
    'http/connections.ts',
    'http/count-request.ts',
    'http/figures.ts',
    'http/health.ts',
    'http/listeners.ts',
    'http/metrics.ts',
    'http/other-requests.ts',
    'http/refuse-request.ts',
    'http/unreadable-requests.ts',
    'outgoing',
  ],

  database: ['foundation', 'database'],
  graphql: ['foundation', 'graphql', 'database/connection.ts', 'database/statement.ts'],
  access: ['foundation', 'access', 'database', 'graphql/context.ts'],
  http: [
    'foundation',
    'parts',
    'http',
    'access',
    'graphql',
    'database/connection.ts',
    'database/replicas.ts',
    'database/statement.ts',
  ],

  'features/starboard': ['foundation', 'database', 'graphql/context.ts', 'graphql/page-info.ts', 'features'],
  'features/space': [
    'foundation',
    'database',
    'graphql/context.ts',
    'graphql/grounds.ts',
    'graphql/page-info.ts',
    'graphql/presumed-rows.ts',
  ],
  'features/credential': [
    'foundation',
    'database',
    'graphql/context.ts',
    'graphql/grounds.ts',
    'graphql/presumed-rows.ts',
    'features',
  ],
  'features/quest': ['foundation', 'database', 'graphql/context.ts', 'graphql/page-info.ts', 'features'],
  features: [
    'features',
    'features/starboard',
    'features/space',
    'features/credential',
    'features/quest',
    'graphql/context.ts',
    'graphql/page-info.ts',
    'database',
  ],

  ranking: [
    'foundation',
    'ranking',
    'database',
    'features/quest/quest.rules.ts',
    'webhooks/events.ts',
    'webhooks/outbox.ts',
  ],
  schedule: [
    'foundation',
    'schedule',
    'database',
    'ranking',
    'schedule/sign-in-sweep.queries.ts',
    'schedule/sign-in-sweep.ts',
    'ingest/holders-sweep.ts',
    'webhooks/sweep.ts',
  ],
  ingest: ['foundation', 'parts', 'ingest', 'database', 'ranking', 'api/json-schema.ts'],
  'ingest-api': [
    'foundation',
    'parts',
    'audit/audit.ts',
    'ingest',
    'objects',
    'ranking',
    'access',
    'database',
    'openapi',
    'http/long-uploads.ts',
    'http/metrics.ts',
  ],
  objects: ['foundation', 'objects', 'database', 'ingest', 'ranking'],
  openapi: ['openapi'],
  sync: [
    'foundation',
    'parts',
    'sync',
    'database',
    'ingest',
    'outgoing',
    'secrets/installation-secret.ts',
    'secrets/resealing.ts',
    'secrets/sealing.ts',
    'webhooks/events.ts',
    'webhooks/outbox.ts',
  ],
  webhooks: [
    'foundation',
    'webhooks',
    'database',
    'outgoing',
    'accounts/account.queries.ts',
    'api/api-error.ts',
    'rate-limit/rate-limit.ts',
    'secrets/installation-secret.ts',
    'secrets/resealing.ts',
    'sessions/with-account.ts',
    'api/read-body.ts',
    'secrets/sealing.ts',
  ],
  tracing: ['foundation', 'tracing', 'database/statement.ts', 'outgoing'],
  person: ['foundation', 'person', 'database', 'ranking', 'audit/audit.ts'],
  distribution: ['distribution', 'database'],
  manual: ['foundation', 'manual'],
  outgoing: ['foundation', 'outgoing'],
  mirror: ['foundation', 'parts', 'mirror', 'database', 'ingest', 'outgoing', 'sync/replace-list.ts'],
  demo: ['foundation', 'parts', 'demo', 'database', 'access', 'ingest', 'ranking'],

  identity: ['foundation', 'parts', 'identity', 'database', 'outgoing', 'oauth', 'dashboard', 'ranking', 'openapi'],
  oauth: ['foundation', 'parts', 'oauth', 'database', 'identity', 'secrets/token-format.ts', 'outgoing', 'openapi'],
  dashboard: [
    'foundation',
    'parts',
    'database',
    'identity',
    'oauth',
    'access',
    'ingest',
    'ranking',
    'sync',
    'webhooks',
    'doctor',
    'graphql/context.ts',
  ],
  doctor: [
    'foundation',
    'parts',
    'doctor',
    'database',
    'distribution',
    'identity',
    'oauth',
    'outgoing',
    'sync/sealed-source.ts',
    'webhooks/secrets.ts',
  ],
  command: [
    'foundation',
    'doctor',
    'distribution',
    'parts',
    'database',
    'access',
    'ingest',
    'ranking',
    'sync',
    'mirror',
    'objects',
    'demo',
    'oauth',
    'person',
    'identity',
    'outgoing',
    'webhooks',
    'graphql/context.ts',
  ],
}

const files = globSync('**/*.ts', { cwd: SRC }).sort()
const sources = new Map(files.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]))

function roomOf(file: string): string {
  const [top, next, ...more] = file.split('/')
  if (next === undefined) return Object.entries(topLevel).find(([, names]) => names.includes(file))?.[0] ?? file
  return top === 'features' && more.length > 0 ? `features/${next}` : (top ?? file)
}

const trees = new Map<string, ts.SourceFile>()
function parsed(file: string): ts.SourceFile {
  const tree = trees.get(file) ?? ts.createSourceFile(file, sources.get(file) ?? '', ts.ScriptTarget.Latest, true)
  trees.set(file, tree)
  return tree
}

function importsOf(file: string): string[] {
  return ts
    .preProcessFile(sources.get(file) ?? '')
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => normalize(join(dirname(file), name)))
    .filter((target) => target.endsWith('.ts'))
}

/** Every file with what its syntax tree has that `wanted` looks for. */
function found(wanted: (node: ts.Node) => boolean, except: (file: string) => boolean): string[] {
  return files
    .filter((file) => !except(file))
    .flatMap((file) => {
      const source = parsed(file)
      const hits: string[] = []
      const visit = (node: ts.Node): void => {
        if (wanted(node)) {
          const { line } = source.getLineAndCharacterOfPosition(node.getStart())
          hits.push(`${file}:${line + 1} ${node.getText().slice(0, 60)}`)
        } else ts.forEachChild(node, visit)
      }
      visit(source)
      return hits
    })
}

test('every file stands in a room of the table', () => {
  expect(files.filter((file) => mayImport[roomOf(file)] === undefined)).toEqual([])
})

test('the map of docs/architecture.md names every room and every file beside them', () => {
  const map = readFileSync(join(SRC, '../../docs/architecture.md'), 'utf8')
  const rooms = /## The rooms.*?\n\n(.*?)\n\n/s.exec(map)?.[1]?.split('\n') ?? []
  const named = new Set(rooms.flatMap((row) => row.split('|')[1]?.match(/[\w.-]+(\.ts|\/)/g) ?? []))
  const there = new Set(files.map((file) => (file.includes('/') ? `${file.split('/')[0]}/` : file)))
  expect([...named].sort()).toEqual([...there].sort())
})

test('a file imports only from the rooms that its own room may know', () => {
  const forbidden = files.flatMap((file) => {
    const allowed = mayImport[roomOf(file)] ?? []
    return importsOf(file)
      .filter((target) => !['*', roomOf(target), target].some((entry) => allowed.includes(entry)))
      .filter((target) => roomOf(target) !== roomOf(file))
      .map((target) => `${file} → ${target}`)
  })
  expect(forbidden).toEqual([])
})

test('the table allows nothing that nobody does', () => {
  const used = new Set(
    files.flatMap((file) =>
      importsOf(file).flatMap((to) => [`${roomOf(file)} ${roomOf(to)}`, `${roomOf(file)} ${to}`]),
    ),
  )
  const single = Object.entries(mayImport).flatMap(([room, allowed]) =>
    allowed
      .filter((entry) => entry.endsWith('.ts') && !used.has(`${room} ${entry}`))
      .map((entry) => `${room} → ${entry}`),
  )
  expect(single).toEqual([])
})

test('every import names a file that is there', () => {
  expect(files.flatMap((file) => importsOf(file).filter((target) => !sources.has(target)))).toEqual([])
})

test('SQL stands only in *.queries.ts, *.sql, migrations and database/', () => {
  const sql =
    /\b(SELECT\s+[\w*.(]|INSERT INTO|UPDATE\s+\w+\s+SET|DELETE FROM|CREATE (TABLE|INDEX|DATABASE)|ALTER TABLE|TRUNCATE)\b/
  const builders = new Set(['selectFrom', 'insertInto', 'updateTable', 'deleteFrom', 'mergeInto'])
  const hits = found(
    (node) =>
      (ts.isStringLiteralLike(node) && sql.test(node.text)) ||
      (ts.isTemplateExpression(node) && sql.test(node.getText())) ||
      (ts.isPropertyAccessExpression(node) && builders.has(node.name.text)),
    (file) => file.startsWith('database/') || file.endsWith('.queries.ts'),
  )
  expect(hits).toEqual([])
})

test('the environment enters through config.ts, at the entries of the process and of commands', () => {
  const entries = [
    'config.ts',
    'main.ts',
    'command/called-as.ts',
    'command/config.ts',
    'command/doctor.ts',
    'command/migrate.ts',
    'command/with-dependencies.ts',
  ]
  const hits = found(
    (node) => ts.isPropertyAccessExpression(node) && node.getText() === 'process.env',
    (file) => entries.includes(file),
  )
  expect(hits).toEqual([])
})

test('time enters through clock.ts', () => {
  const hits = found(
    (node) =>
      (ts.isPropertyAccessExpression(node) && node.getText() === 'Date.now') ||
      (ts.isNewExpression(node) && node.expression.getText() === 'Date' && (node.arguments ?? []).length === 0) ||
      (ts.isCallExpression(node) && node.expression.getText() === 'Date'),
    (file) => file === 'clock.ts',
  )
  expect(hits).toEqual([])
})

test('the network of a client enters through api/client-network.ts', () => {
  const read = (node: ts.Node) => ts.isPropertyAccessExpression(node) && /^(ip|ips|remoteAddress)$/.test(node.name.text)
  expect(found(read, (file) => file === 'api/client-network.ts')).toEqual([])
})

test('randomness enters through random.ts', () => {
  const generators = /^(randomBytes|randomUUID|randomInt|randomFill(Sync)?|getRandomValues|Math\.random)$/
  const hits = found(
    (node) => (ts.isPropertyAccessExpression(node) || ts.isIdentifier(node)) && generators.test(node.getText()),
    (file) => file === 'random.ts',
  )
  expect(hits).toEqual([])
})

test('no folder is called after nothing in particular', () => {
  const vague = /(^|\/)(utils?|helpers?|common|shared|lib|misc|core)(\/|$)/
  expect(files.filter((file) => vague.test(dirname(file)))).toEqual([])
})

test('no file only passes on what others export', () => {
  const barrels = files.filter((file) => {
    const { statements } = parsed(file)
    return statements.length > 0 && statements.every((one) => ts.isExportDeclaration(one) && one.moduleSpecifier)
  })
  expect(barrels).toEqual([])
})

test('files are short: none over 400 lines, nine of ten under 220, half of them under 100', () => {
  const written = files.filter((file) => file !== 'database/tables.ts') // generated
  const lengths = written.map((file) => (sources.get(file) ?? '').split('\n').length - 1).sort((a, b) => a - b)
  expect(written.filter((file) => (sources.get(file) ?? '').split('\n').length - 1 > 400)).toEqual([])
  expect(lengths[Math.floor(lengths.length * 0.9)]).toBeLessThan(220)
  expect(lengths[Math.floor(lengths.length * 0.5)]).toBeLessThan(100)
})

test('tests are short, too: none over 400 lines', () => {
  const tests = globSync('**/*.ts', { cwd: import.meta.dirname })
  const long = tests.filter((file) => readFileSync(join(import.meta.dirname, file), 'utf8').split('\n').length > 401)
  expect(long).toEqual([])
})

test('nothing is left for later in the code', () => {
  expect(files.filter((file) => /\b(TODO|FIXME|HACK)\b/.test(sources.get(file) ?? ''))).toEqual([])
})
