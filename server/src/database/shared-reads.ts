import type { QueryResultRow } from 'pg'
import type { Reader, Statement, Value } from './statement.ts'
import { atTurnEnd } from './turn.ts'

/** Of one question, so many are under way at once; who asks meanwhile waits and shares the next. */
const MOST_UNDER_WAY = 1

interface Question {
  underWay: number
  next: PromiseWithResolvers<QueryResultRow[]> | undefined
}

/**
 * Reads that are asked once for all who ask the same in one turn of the event loop or while an earlier one is under way.
 * Each is sent after it was asked for, so nobody is told of a moment before.
 */
export function sharing(read: Reader['read']): Reader['readShared'] {
  const questions = new Map<string, Question>()

  return <Row extends QueryResultRow>(prepared: Statement<Row>, values: readonly Value[]) => {
    const name = `${prepared.name} ${values.length === 1 ? spell(values[0] as Value) : JSON.stringify(values)}`
    const question = questions.get(name) ?? { underWay: 0, next: undefined }
    const send = (): void => {
      const { next } = question
      if (!next || question.underWay === MOST_UNDER_WAY) return
      question.next = undefined
      question.underWay++
      read(prepared, values)
        .then(next.resolve, next.reject)
        .finally(() => {
          question.underWay--
          if (question.next) send()
          else if (question.underWay === 0) questions.delete(name)
        })
    }
    if (!question.next) {
      question.next = Promise.withResolvers()
      questions.set(name, question)
      atTurnEnd(send)
    }
    return question.next.promise as Promise<Row[]>
  }
}

function spell(value: Value): string {
  return typeof value === 'string' || typeof value === 'number' ? `${typeof value} ${value}` : JSON.stringify(value)
}
