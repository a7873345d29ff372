import type { ClientBase } from 'pg'
import { readPlan } from '../distribution/distribute.ts'
import { type Finding, note, ok, problem } from './finding.ts'

/** Checks the placement of tables and foreign keys; returns nothing if the installation is not distributed. */
export async function examineDistribution(client: ClientBase): Promise<Finding[]> {
  const name = 'Distribution'
  const { extension, tables, moves, problems, missing, copies, unnoticed, unshared } = await readPlan(client)
  if (missing.length > 0) {
    const keys = missing.map(({ table, target }) => `${table} → ${target}`).join(', ')
    return [problem(name, 'distribution.interrupted', { count: missing.length, keys })]
  }
  if (extension !== 'made') return []
  if (problems.length > 0) return [problem(name, 'distribution.problems', { problems: problems.join('; ') })]
  if (moves.length > 0)
    return [note(name, 'distribution.tables', { tables: moves.map((table) => table.name).join(', ') })]
  if (copies.length > 0) return [note(name, 'distribution.copies', { tables: copies.join(', ') })]
  if (unnoticed.length > 0) return [note(name, 'distribution.separate', { tables: unnoticed.join(', ') })]
  if (unshared.length > 0) return [note(name, 'distribution.functions', { functions: unshared.join(', ') })]
  return [ok(name, 'distribution.ok', { count: tables.length })]
}
