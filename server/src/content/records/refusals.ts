import { type ApiError, type FieldProblem, conflict, invalidFields, notFound } from '../../errors.ts'
import { ImportRefusedError, type Problem } from '../../ingest/problems.ts'
import { ObjectError } from '../../objects/objects.ts'
import { isUniqueViolation } from '../../database/sql-states.ts'

/** Runs work, and converts the errors of imports and objects to errors of the JSON API. */
export async function naming<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asApiError(error)
  }
}

function asApiError(error: unknown): unknown {
  if (error instanceof ImportRefusedError) return refusedRecord(error)
  if (isUniqueViolation(error)) return changedMeanwhile()
  if (!(error instanceof ObjectError)) return error
  const { code, message, fault } = error
  return code === 'CONFLICT' ? conflict('in_use', message, fault) : error.toApiError()
}

export const changedMeanwhile = () =>
  conflict('changed_meanwhile', 'Another request has changed this; load it again and repeat your change')

function refusedRecord({ problems }: ImportRefusedError): ApiError {
  const [first, ...more] = problems.flatMap(fieldProblems)
  return first ? invalidFields([first, ...more]) : notFound('Record')
}

export function fieldProblems({ field = 'body', reason, fault, parts }: Problem): FieldProblem[] {
  if (parts) return parts.map(({ path, reason, fault }) => ({ field: `${field}${path}`, message: reason, fault }))
  return [{ field, message: reason.replace(/; import it first.*$/, ''), ...(fault && { fault }) }]
}
