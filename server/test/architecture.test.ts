import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { mayImport, roomOf } from './rooms.ts'

const SRC = join(import.meta.dirname, '../src')

const files = globSync('**/*.ts', { cwd: SRC }).sort()
const sources = new Map(files.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]))

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

test('the network of a client enters through audit/client-network.ts', () => {
  const read = (node: ts.Node) => ts.isPropertyAccessExpression(node) && /^(ip|ips|remoteAddress)$/.test(node.name.text)
  expect(found(read, (file) => file === 'audit/client-network.ts')).toEqual([])
})

test('only api/ checks CSRF tokens, sessions, operators and recent sign-ins', () => {
  const checks =
    /^(checkCsrf|require(Fresh|Recent)?(Session|Operator)|require(Fresh|Recent\w*)|badCsrfToken|freshSignInRequired)$/
  const definitions = ['sessions/csrf.ts']
  const used = (node: ts.Node) =>
    ts.isCallExpression(node) && ts.isIdentifier(node.expression) && checks.test(node.expression.text)
  expect(found(used, (file) => file.startsWith('api/') || definitions.includes(file))).toEqual([])
})

test('the routes of the JSON API are registered with their description', () => {
  const rooms = /^(dashboard|identity)\/|^routes\.ts$/
  const registers = (node: ts.Node) =>
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    /^(scope|api|raw|fastify|browser)$/.test(node.expression.expression.getText()) &&
    /^(get|head|post|put|patch|delete|options|all|route)$/.test(node.expression.name.text)
  expect(found(registers, (file) => !rooms.test(file))).toEqual([])
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
