import type { ClientBase } from 'pg'
import { readPlan } from '../distribution/distribute.ts'
import { type Finding, note, ok, problem } from './finding.ts'

const manual = 'See docs/scale.md, "A distributed engine".'

/** Checks the placement of tables and foreign keys; returns nothing if the installation is not distributed. */
export async function examineDistribution(client: ClientBase): Promise<Finding[]> {
  const name = 'Distribution'
  const { extension, tables, moves, problems, missing, copies, unnoticed } = await readPlan(client)
  if (missing.length > 0) {
    const keys = missing.map(({ table, target }) => `${table} → ${target}`).join(', ')
    const says = `an interrupted run has dropped ${missing.length} foreign keys: ${keys}`
    const advice = `Run \`questboard database distribute\` again to continue, or with --restore-keys if no table is distributed. ${manual}`
    return [problem(name, says, advice)]
  }
  if (extension !== 'made') return []
  if (problems.length > 0) return [problem(name, problems.join('; '), manual)]
  const goOn = '`questboard database distribute` does that.'
  if (moves.length > 0) return [note(name, `not distributed: ${moves.map((table) => table.name).join(', ')}`, goOn)]
  if (copies.length > 0) return [note(name, `the coordinator still has moved rows of ${copies.join(', ')}`, goOn)]
  if (unnoticed.length > 0)
    return [note(name, `not committed together with rows of other nodes: ${unnoticed.join(', ')}`, goOn)]
  return [ok(name, `${tables.length} tables have their placement`)]
}
