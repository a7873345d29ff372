import type { QueryResultRow } from 'pg'
import { atEndOfTurn } from './event-loop-turn.ts'
import type { Reader, Statement, Value } from './statement.ts'

/** One statement with certain values: at most one execution at a time; later callers share the next. */
interface SharedRead {
  running: boolean
  next: PromiseWithResolvers<QueryResultRow[]> | undefined
}

/** Makes `readShared` of `read`. */
export function shareReads(read: Reader['read']): Reader['readShared'] {
  const statements = new Map<string, Map<unknown, SharedRead>>()

  return <Row extends QueryResultRow>(prepared: Statement<Row>, values: readonly Value[]) => {
    let sharedReads = statements.get(prepared.name)
    if (!sharedReads) statements.set(prepared.name, (sharedReads = new Map<unknown, SharedRead>()))
    const key = keyOf(values)
    const shared = sharedReads.get(key) ?? { running: false, next: undefined }
    const send = (): void => {
      const { next } = shared
      if (!next || shared.running) return
      shared.next = undefined
      shared.running = true
      read(prepared, values)
        .then(next.resolve, next.reject)
        .finally(() => {
          shared.running = false
          if (shared.next) send()
          else sharedReads.delete(key)
        })
    }
    if (!shared.next) {
      shared.next = Promise.withResolvers()
      sharedReads.set(key, shared)
      atEndOfTurn(send)
    }
    return shared.next.promise as Promise<Row[]>
  }
}

/** A statement always has the same number of values. PostgreSQL accepts no text that begins with NUL. */
function keyOf(values: readonly Value[]): unknown {
  const [only] = values
  const isKey = values.length === 1 && (typeof only === 'string' || typeof only === 'number')
  return isKey ? only : `\0${JSON.stringify(values)}`
}
