import type { ClientBase } from 'pg'
import { readPlan } from '../distribution/distribute.ts'
import { type Finding, note, ok, problem } from './finding.ts'

const manual = 'See docs/scale.md, "A distributed engine".'

/** Whether every table lies where it belongs, with its foreign keys; nothing to say where nothing was distributed. */
export async function examineDistribution(client: ClientBase): Promise<Finding[]> {
  const name = 'Distribution'
  const { extension, tables, moves, problems, missing, copies } = await readPlan(client)
  if (missing.length > 0) {
    const keys = missing.map(({ table, target }) => `${table} → ${target}`).join(', ')
    const says = `a run that was cut short has left ${missing.length} foreign keys dropped: ${keys}`
    const advice = `Run questboard database distribute again, which goes on, or with --restore-keys, as long as no table is distributed. ${manual}`
    return [problem(name, says, advice)]
  }
  if (extension !== 'made') return []
  if (problems.length > 0) return [problem(name, problems.join('; '), manual)]
  const goOn = 'questboard database distribute does that.'
  if (moves.length > 0) return [note(name, `not distributed: ${moves.map((table) => table.name).join(', ')}`, goOn)]
  if (copies.length > 0)
    return [
      note(
        name,
        `the coordinator still has the rows that were moved: ${copies.join(', ')} are to be emptied there`,
        goOn,
      ),
    ]
  return [ok(name, `${tables.length} tables lie where they belong`)]
}
