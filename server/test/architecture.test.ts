import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { importsAllowedTo, mayImport, roomOf } from './rooms.ts'

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

/** The declaration of a type of this tree, found through imports; undefined for types of libraries. */
function declarationOf(file: string, name: string): { file: string; node: ts.Node } | undefined {
  for (const node of parsed(file).statements) {
    if ((ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) && node.name.text === name)
      return { file, node }
    if (!ts.isImportDeclaration(node) || !node.importClause?.namedBindings) continue
    if (!ts.isNamedImports(node.importClause.namedBindings)) continue
    const imported = node.importClause.namedBindings.elements.find((one) => one.name.text === name)
    const from = (node.moduleSpecifier as ts.StringLiteral).text
    if (imported && from.startsWith('.')) return declarationOf(normalize(join(dirname(file), from)), name)
  }
  return undefined
}

/**
 * The kinds of objects that a value of this type consists of: itself, and those of its members, of their members, and so
 * on. Functions, values whose types come from libraries, and the settings (plain data) are not entered.
 */
function placesIn(file: string, name: string): string[] {
  const places = new Set<string>()
  const enter = (from: string, typeName: string, path: string): void => {
    const declared = declarationOf(from, typeName)
    const place = `${declared?.file} ${typeName}`
    if (!declared || places.has(place)) return
    places.add(place)
    if (typeName === 'Config') return
    visit(declared.file, declared.node, path)
  }
  const visit = (from: string, node: ts.Node, path: string): void => {
    if (ts.isMethodSignature(node) || ts.isFunctionTypeNode(node)) return
    if (ts.isPropertySignature(node) && node.type && ts.isTypeLiteralNode(node.type))
      places.add(path + node.name.getText())
    const named = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
        ? node.expression
        : undefined
    if (named) return enter(from, named.getText(), path)
    ts.forEachChild(node, (child) => visit(from, child, path))
  }
  enter(file, name, name)
  return [...places].sort()
}

test('every file belongs to a room of the table', () => {
  expect(files.filter((file) => importsAllowedTo(roomOf(file)) === undefined)).toEqual([])
})

test('docs/architecture.md lists all rooms and all files outside of rooms', () => {
  const map = readFileSync(join(SRC, '../../docs/architecture.md'), 'utf8')
  const rooms = /## The rooms.*?\n\n(.*?)\n\n/s.exec(map)?.[1]?.split('\n') ?? []
  const named = new Set(rooms.flatMap((row) => row.split('|')[1]?.match(/[\w.-]+(\.ts|\/)/g) ?? []))
  const there = new Set(files.map((file) => (file.includes('/') ? `${file.split('/')[0]}/` : file)))
  expect([...named].sort()).toEqual([...there].sort())
})

test('a file imports only from the rooms that its room may import', () => {
  const forbidden = files.flatMap((file) => {
    const allowed = importsAllowedTo(roomOf(file)) ?? []
    return importsOf(file)
      .filter((target) => !['*', roomOf(target), target].some((entry) => allowed.includes(entry)))
      .filter((target) => roomOf(target) !== roomOf(file))
      .map((target) => `${file} → ${target}`)
  })
  expect(forbidden).toEqual([])
})

test('some file uses each import that the table allows', () => {
  const used = new Set(
    files.flatMap((file) =>
      importsOf(file).flatMap((to) => [`${roomOf(file)} ${roomOf(to)}`, `${roomOf(file)} ${to}`]),
    ),
  )
  const unused = Object.entries(mayImport).flatMap(([room, allowed]) =>
    allowed.filter((entry) => entry !== '*' && !used.has(`${room} ${entry}`)).map((entry) => `${room} → ${entry}`),
  )
  expect(unused).toEqual([])
})

function cyclesOf(starts: readonly string[], next: (node: string) => Iterable<string>): string[] {
  const done = new Set<string>()
  const cycles: string[] = []
  const follow = (node: string, path: readonly string[]): void => {
    if (path.includes(node)) cycles.push([...path.slice(path.indexOf(node)), node].join(' → '))
    if (done.has(node)) return
    done.add(node)
    for (const target of next(node)) follow(target, [...path, node])
  }
  for (const start of starts) follow(start, [])
  return cycles
}

test('no file imports itself, directly or through others', () => {
  expect(cyclesOf(files, importsOf)).toEqual([])
})

test('no room imports itself through others', () => {
  const imported = new Map<string, Set<string>>()
  for (const file of files)
    for (const target of importsOf(file)) {
      const [room, other] = [roomOf(file), roomOf(target)]
      if (room !== other) imported.set(room, (imported.get(room) ?? new Set()).add(other))
    }
  expect(cyclesOf(files.map(roomOf), (room) => imported.get(room) ?? [])).toEqual([])
})

test('every import names an existing file', () => {
  expect(files.flatMap((file) => importsOf(file).filter((target) => !sources.has(target)))).toEqual([])
})

test('only *.queries.ts, *.sql, migrations and database/ contain SQL', () => {
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

test('only config.ts and the entry points of processes and commands read the environment', () => {
  const entries = [
    'config.ts',
    'main.ts',
    'settings/called-as.ts',
    'command/apply.ts',
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

test('only clock.ts reads the time', () => {
  const hits = found(
    (node) =>
      (ts.isPropertyAccessExpression(node) && node.getText() === 'Date.now') ||
      (ts.isNewExpression(node) && node.expression.getText() === 'Date' && (node.arguments ?? []).length === 0) ||
      (ts.isCallExpression(node) && node.expression.getText() === 'Date'),
    (file) => file === 'clock.ts',
  )
  expect(hits).toEqual([])
})

test('only clock.ts measures durations', () => {
  const source = /^(performance\.(now|timeOrigin|mark|measure)|process\.(hrtime|uptime))$/
  const hits = found(
    (node) => ts.isPropertyAccessExpression(node) && source.test(node.getText()),
    (file) => file === 'clock.ts',
  )
  expect(hits).toEqual([])
})

test('only entries of the process, and functions that wait for the machine itself, choose the clock', () => {
  const entries = [
    'main.ts',
    'command/doctor.ts',
    'command/migrate.ts',
    'command/with-dependencies.ts',
    'database/embedded.ts',
    'database/lifeline.ts',
  ]
  const named = (node: ts.Node) => ts.isIdentifier(node) && node.text === 'systemClock'
  expect(found(named, (file) => file === 'clock.ts' || entries.includes(file))).toEqual([])
})

test('only audit/client-network.ts reads the network of a client', () => {
  const read = (node: ts.Node) => ts.isPropertyAccessExpression(node) && /^(ip|ips|remoteAddress)$/.test(node.name.text)
  expect(found(read, (file) => file === 'audit/client-network.ts')).toEqual([])
})

test('only api/ checks CSRF tokens, sessions, operators and recent sign-ins', () => {
  const checks =
    /^(checkCsrf|require\w*(Session|Operator)\w*|require(Fresh|Recent)\w*|(badCsrfToken|(operator|freshSignIn)Required))$/
  // The first two check again in the transaction of the change (docs/decisions/0024). The last checks a proof.
  const repeated = /^require(Live(Session|Operator)|SameSession)$/
  const definitions = ['sessions/csrf.ts', 'sessions/with-account.ts']
  // Some requests of these routes need an operator: those for objects of others, and for plans and scopes of operators.
  const conditional = [
    'content/starboards/starboard-rights.ts',
    'dashboard/tokens/ingest-tokens.ts',
    'dashboard/tokens/tokens.ts',
  ]
  const called = (node: ts.Node) =>
    ts.isCallExpression(node) && ts.isIdentifier(node.expression) ? node.expression.text : ''
  const used = (node: ts.Node) => checks.test(called(node)) && !repeated.test(called(node))
  const allowed = [...definitions, ...conditional]
  expect(found(used, (file) => file.startsWith('api/') || allowed.includes(file))).toEqual([])
})

test('only api/ reads which page sent a browser', () => {
  const reads = (node: ts.Node) => ts.isStringLiteral(node) && /^sec-fetch-/i.test(node.text)
  expect(found(reads, (file) => file === 'api/foreign-pages.ts')).toEqual([])
})

test('only descriptions register routes of the JSON API and of the ingest API', () => {
  const otherRooms =
    /^(app\.ts|(http|live|manual|oauth|public-pages)\/|api\/(route|api-document)\.ts|ingest-api\/(route|document)\.ts)/
  const registers = (node: ts.Node) =>
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    /^(scope|api|raw|fastify|browser|v1)$/.test(node.expression.expression.getText()) &&
    /^(get|head|post|put|patch|delete|options|all|route)$/.test(node.expression.name.text)
  expect(found(registers, (file) => otherRooms.test(file))).toEqual([])
})

test('handlers of the ingest API receive the caller from ingestRoute', () => {
  const hooks = /^ingest-api\/(access-log|admit|bodies|route)\.ts/
  const reads = (node: ts.Node) => ts.isIdentifier(node) && /^(callerOf|ingestCaller)$/.test(node.text)
  expect(found(reads, (file) => !file.startsWith('ingest-api/') || hooks.test(file))).toEqual([])
})

test('only random.ts generates random values', () => {
  const generators = /^(randomBytes|randomUUID|randomInt|randomFill(Sync)?|getRandomValues|Math\.random)$/
  const hits = found(
    (node) => (ts.isPropertyAccessExpression(node) || ts.isIdentifier(node)) && generators.test(node.getText()),
    (file) => file === 'random.ts',
  )
  expect(hits).toEqual([])
})

test('a walk of the services visits at most 15 places', () => {
  const places = placesIn('services.ts', 'Services')
  expect(places).toContain('config.ts Config')
  expect(places.length, places.join('\n')).toBeLessThanOrEqual(15)
})

test('no folder has a vague name such as utils', () => {
  const vague = /(^|\/)(utils?|helpers?|common|shared|lib|misc|core)(\/|$)/
  expect(files.filter((file) => vague.test(dirname(file)))).toEqual([])
})

test('no file only re-exports', () => {
  const barrels = files.filter((file) => {
    const { statements } = parsed(file)
    return statements.length > 0 && statements.every((one) => ts.isExportDeclaration(one) && one.moduleSpecifier)
  })
  expect(barrels).toEqual([])
})

test('no file has over 400 lines, nine of ten have under 220, half have under 100', () => {
  const written = files.filter((file) => file !== 'database/tables.ts') // generated
  const lengths = written.map((file) => (sources.get(file) ?? '').split('\n').length - 1).sort((a, b) => a - b)
  expect(written.filter((file) => (sources.get(file) ?? '').split('\n').length - 1 > 400)).toEqual([])
  expect(lengths[Math.floor(lengths.length * 0.9)]).toBeLessThan(220)
  expect(lengths[Math.floor(lengths.length * 0.5)]).toBeLessThan(100)
})

test('every test is at the path of its source file or folder, or in a topic of spec/', () => {
  const table = /\| Topic .*?\n\n/s.exec(readFileSync(join(SRC, '../../docs/architecture.md'), 'utf8'))?.[0] ?? ''
  const topics = Array.from(table.matchAll(/^\| `([\w-]+)`/gm), ([, topic]) => topic)
  const inSpec = new RegExp(`^spec/(\\d[^/]*|coverage|(${topics.join('|')})/[^/]+)$`)
  const sourceFiles = new Set(files.map((file) => file.replace(/\.ts$/, '')))
  const folders = new Set(files.map(dirname))
  const tests = globSync('**/*.test.ts', { cwd: import.meta.dirname }).map((file) => file.replace(/\.test\.ts$/, ''))
  const mirrors = (path: string) => sourceFiles.has(path) || folders.has(path) || sourceFiles.has(dirname(path))
  expect(tests.filter((path) => path !== 'architecture' && !inSpec.test(path) && !mirrors(path))).toEqual([])
})

test('no test file has over 400 lines', () => {
  const tests = globSync('**/*.ts', { cwd: import.meta.dirname })
  const long = tests.filter((file) => readFileSync(join(import.meta.dirname, file), 'utf8').split('\n').length > 401)
  expect(long).toEqual([])
})

test('no file contains TODO, FIXME or HACK', () => {
  expect(files.filter((file) => /\b(TODO|FIXME|HACK)\b/.test(sources.get(file) ?? ''))).toEqual([])
})
