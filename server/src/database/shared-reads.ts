import type { QueryResultRow } from 'pg'
import type { Reader, Statement, Value } from './statement.ts'
import { atTurnEnd } from './turn.ts'

/** Reads that wait for the end of the turn, each question once, however many ask it. */
export function sharing(read: Reader['read']): Reader['readShared'] {
  let waiting = new Map<string, Promise<QueryResultRow[]>>()

  const askTogether = <Row extends QueryResultRow>(
    prepared: Statement<Row>,
    values: readonly Value[],
  ): Promise<Row[]> =>
    new Promise((resolve, reject) => {
      if (waiting.size === 0)
        atTurnEnd(() => {
          waiting = new Map()
        })
      atTurnEnd(() => {
        read(prepared, values).then(resolve, reject)
      })
    })

  return <Row extends QueryResultRow>(prepared: Statement<Row>, values: readonly Value[]) => {
    const question = JSON.stringify([prepared.name, values])
    let answer = waiting.get(question) as Promise<Row[]> | undefined
    if (!answer) {
      answer = askTogether(prepared, values)
      waiting.set(question, answer)
    }
    return answer
  }
}
