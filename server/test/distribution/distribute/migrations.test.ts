import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadModule, parseSync } from 'libpg-query'
import { expect, test } from 'vitest'

await loadModule()

const folder = join(import.meta.dirname, '../../../migrations')
/** Earlier migrations are immutable. They run before the tables are distributed. */
const FIRST = '20261124T1600'

interface AlterTable {
  cmds: {
    AlterTableCmd: { subtype: string; def?: { ColumnDef?: { constraints?: { Constraint: { contype: string } }[] } } }
  }[]
}

/** Constraints of a new column that Citus rejects; NOT NULL and DEFAULT work. */
const rejected = new Set(['CONSTR_CHECK', 'CONSTR_FOREIGN', 'CONSTR_UNIQUE', 'CONSTR_PRIMARY'])

/** The parts of a migration that fail on distributed tables. */
function problemsOf(text: string): string[] {
  const { stmts = [] } = parseSync(text) as { stmts?: { stmt: { AlterTableStmt?: AlterTable } }[] }
  return stmts.flatMap(({ stmt: { AlterTableStmt: alter } }) => {
    const commands = (alter?.cmds ?? []).map((command) => command.AlterTableCmd)
    return commands.flatMap(({ subtype, def }) => {
      if (subtype === 'AT_AddConstraint' && commands.length > 1) return ['ADD CONSTRAINT beside another subcommand']
      const constraints = def?.ColumnDef?.constraints ?? []
      return subtype === 'AT_AddColumn' && constraints.some((one) => rejected.has(one.Constraint.contype))
        ? ['ADD COLUMN with a constraint; add the constraint in a statement of its own']
        : []
    })
  })
}

const names = readdirSync(folder).filter((name) => name.endsWith('.sql') && name >= FIRST)

test.each(names)('%s runs on distributed tables', (name) => {
  expect(problemsOf(readFileSync(join(folder, name), 'utf8'))).toEqual([])
})

test.each([
  'ALTER TABLE boards ADD COLUMN size int CHECK (size > 0)',
  'ALTER TABLE boards ADD COLUMN size int, ADD CONSTRAINT size CHECK (size > 0)',
  'ALTER TABLE boards ADD COLUMN space int REFERENCES spaces',
])('rejects %s', (text) => {
  expect(problemsOf(text)).toHaveLength(1)
})

test.each([
  'ALTER TABLE boards ADD COLUMN size int NOT NULL DEFAULT 0',
  'ALTER TABLE boards ADD CONSTRAINT size CHECK (size > 0)',
])('accepts %s', (text) => {
  expect(problemsOf(text)).toEqual([])
})
