import type { QueryResultRow } from 'pg'
import type { Reader, Statement, Value } from './statement.ts'
import { atTurnEnd } from './turn.ts'

/** One read of a question is under way at a time; who asks meanwhile waits and shares the next. */
interface Question {
  underWay: boolean
  next: PromiseWithResolvers<QueryResultRow[]> | undefined
}

/**
 * Reads that are asked once for all who ask the same in one turn of the event loop or while an earlier one is under way.
 * Each is sent after it was asked for, so nobody is told of a moment before.
 */
export function sharing(read: Reader['read']): Reader['readShared'] {
  const statements = new Map<string, Map<unknown, Question>>()

  return <Row extends QueryResultRow>(prepared: Statement<Row>, values: readonly Value[]) => {
    let questions = statements.get(prepared.name)
    if (!questions) statements.set(prepared.name, (questions = new Map<unknown, Question>()))
    const name = nameOf(values)
    const question = questions.get(name) ?? { underWay: false, next: undefined }
    const send = (): void => {
      const { next } = question
      if (!next || question.underWay) return
      question.next = undefined
      question.underWay = true
      read(prepared, values)
        .then(next.resolve, next.reject)
        .finally(() => {
          question.underWay = false
          if (question.next) send()
          else questions.delete(name)
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

/** Tells the values of one statement apart, which are always as many. No text that PostgreSQL takes begins with NUL. */
function nameOf(values: readonly Value[]): unknown {
  const [only] = values
  const isItsOwn = values.length === 1 && (typeof only === 'string' || typeof only === 'number')
  return isItsOwn ? only : `\0${JSON.stringify(values)}`
}
