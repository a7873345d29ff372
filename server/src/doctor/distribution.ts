import type { ClientBase } from 'pg'
import { readPlan } from '../distribution/distribute.ts'
import { type Finding, note, ok, problem } from './finding.ts'

/** Whether every table lies where it belongs, where the database is one of Citus; nothing to say where it is not. */
export async function examineDistribution(client: ClientBase): Promise<Finding[]> {
  const name = 'Distribution'
  const { extension, tables, moves, problems } = await readPlan(client)
  if (extension !== 'made') return []
  if (problems.length > 0) return [problem(name, problems.join('; '), 'See docs/scale.md, "A distributed engine".')]
  if (moves.length === 0) return [ok(name, `${tables.length} tables lie where they belong`)]
  const names = moves.map((table) => table.name).join(', ')
  return [note(name, `not distributed: ${names}`, 'questboard database distribute does that.')]
}
