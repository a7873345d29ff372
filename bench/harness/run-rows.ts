import { join } from 'node:path'
import { verdicts } from './judge.ts'
import { commit, load, machine } from './machine.ts'
import { writeResults } from './results.ts'
import type { BenchContext, Row, RowResult } from './row.ts'
import { figureTable, measureTable } from './table.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/**
 * Runs the rows one after the other, prints and stores what they find.
 * @param versions the servers of the rows that do not start their own
 * @returns whether all ran and every measure was met
 */
export async function runRows(rows: readonly Row[], context: BenchContext, versions: () => string): Promise<boolean> {
  const lines: string[] = []
  let measured = true
  for (const row of rows) {
    context.say(`\n${row.name}: ${row.title}`)
    const before = load()
    const started = performance.now()
    const result = await row.run(context).catch((error: unknown) => {
      context.say(`${row.name} could not be measured: ${error instanceof Error ? (error.stack ?? '') : String(error)}`)
      return undefined
    })
    const own = verdicts(row, result)
    lines.push(...own)
    if (!result) {
      measured = false
      if (!context.quick) await writeResults(new Map([[row.name, failure(row, own)]]))
      continue
    }
    const minutes = (performance.now() - started) / 60_000
    const judged = row.measures.length === 0 ? [] : [...measureTable(row, result, own), '']
    const table = [...judged, ...figureTable(result.figures)]
    context.say(`\n${table.join('\n')}\n${(result.notes ?? []).join('\n')}`)
    // Quick runs only show that a row works, so their results are not stored.
    if (context.quick) continue
    const servers = await (row.ownServer ?? versions)()
    const circumstances = [
      `${new Date().toISOString().slice(0, 16)}Z, commit ${commit(ROOT)}`,
      machine(),
      ...(servers === '' ? [] : [servers]),
      `load before the row ${before.toFixed(1)}`,
      `took ${minutes.toFixed(1)} min.`,
    ].join('; ')
    await writeResults(new Map([[row.name, section(row, result, own, table, circumstances)]]))
  }
  process.stdout.write(`\n${lines.join('\n')}\n`)
  return measured && lines.every((line) => line.endsWith(' pass'))
}

/** A row that could not be measured keeps no result of an earlier run. */
function failure(row: Row, lines: string[]): string {
  const when = `${new Date().toISOString().slice(0, 16)}Z, commit ${commit(ROOT)}; ${machine()}.`
  return [`## ${row.name} ${row.title}`, 'It could not be measured.', verdictBlock(lines), when]
    .filter((part) => part !== '')
    .join('\n\n')
}

function section(row: Row, result: RowResult, lines: string[], table: string[], circumstances: string): string {
  const notes = (result.notes ?? []).map((note) => `- ${note}`).join('\n')
  const parts = [`## ${row.name} ${row.title}`, table.join('\n'), notes, verdictBlock(lines), circumstances]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Nothing for a row that promises nothing. */
function verdictBlock(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\`\`\`text\n${lines.join('\n')}\n\`\`\``
}
