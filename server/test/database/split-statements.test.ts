import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadModule, parseSync } from 'libpg-query'
import { expect, test } from 'vitest'
import { splitStatements } from '../../src/database/split-statements.ts'

await loadModule()

const folder = join(import.meta.dirname, '../../migrations')
const kinds = (text: string) =>
  ((parseSync(text) as { stmts?: { stmt: object }[] }).stmts ?? []).flatMap(({ stmt }) => Object.keys(stmt))

test('splits every migration into the statements that PostgreSQL finds', () => {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.sql'))) {
    const text = readFileSync(join(folder, name), 'utf8')
    expect(splitStatements(text).map(kinds), name).toEqual(kinds(text).map((kind) => [kind]))
  }
})

test('ignores semicolons in comments, quotes and bodies', () => {
  const statements = [
    `SELECT 'a;''b', "c;d" -- e;f\n`,
    'CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $f$ BEGIN; END; $f$',
    '/* g; */ SELECT 1',
  ]
  expect(splitStatements(`${statements.join(';\n')}; -- the end`)).toEqual(statements.map((one) => one.trim()))
})
