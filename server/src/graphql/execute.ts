import { GraphQLError } from 'graphql'
import { isUnavailable } from '../database/connection.ts'
import { internalError, ServiceError, type SourceLocation, unavailable } from '../errors.ts'
import type { Logger } from '../logging/log.ts'
import type { Arguments, Context } from './context.ts'
import type { Prepared } from './operation.ts'
import type { FieldPlan, Path, Run } from './object-plan.ts'
import { explainArgument } from './spec-messages.ts'

/** An error with its path in the response. */
export interface PlacedError {
  error: ServiceError
  path: (string | number)[]
  locations: SourceLocation[]
}

export interface Execution extends Prepared {
  rawVariables: Record<string, unknown>
  context: Context
  log: Logger
  requestId: string
}

/**
 * Runs a plan. Returns the JSON text of `data` and the errors. A failed root field is null; `data` is never null.
 * @throws UNAVAILABLE if the database was lost during the request, which fails the whole request
 */
export async function execute(execution: Execution): Promise<{ data: string; errors: PlacedError[] }> {
  const { plan, variables, locate, rawVariables, context, log, requestId } = execution
  const errors: PlacedError[] = []
  const known = new Map<FieldPlan, Arguments>()
  const run: Run = {
    context,
    rawVariables,
    argumentsOf(field) {
      if (typeof field.args !== 'function') return field.args
      let args = known.get(field)
      if (!args) known.set(field, (args = field.args(variables)))
      return args
    },
    report(thrown, path) {
      const error = toQueryError(thrown)
      if (error.status >= 500)
        log.error({ request_id: requestId, err: error.cause ?? thrown, path: spellPath(path) }, 'a field failed')
      errors.push({ error, path: spellPath(path), locations: locationsOf(path, locate) })
    },
  }
  const data = await plan.slowPath({}, run, undefined)
  const lost = errors.find(({ error }) => error.code === 'UNAVAILABLE')
  if (lost) throw lost.error
  return { data, errors: errors.length > 1 ? errors.toSorted(inDocumentOrder) : errors }
}

/** Fields are resolved concurrently; their errors are sorted, so that the order is always the same. */
function inDocumentOrder(a: PlacedError, b: PlacedError): number {
  const [left = { line: 0, column: 0 }, right = { line: 0, column: 0 }] = [a.locations[0], b.locations[0]]
  return left.line - right.line || left.column - right.column || comparePaths(a.path, b.path)
}

function comparePaths(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [index, key] of a.entries()) {
    const other = b[index]
    if (key === other) continue
    return typeof key === 'number' && typeof other === 'number' ? key - other : String(key) < String(other) ? -1 : 1
  }
  return 0
}

/** Converts any thrown value to an error for the client; internal details remain in `cause`. */
export function toQueryError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown
  if (isUnavailable(thrown)) return unavailable(thrown)
  if (thrown instanceof GraphQLError) return explainArgument(thrown)
  return internalError(thrown)
}

/** The path in the form of `errors[].path`. */
function spellPath(path: Path | undefined): (string | number)[] {
  const keys = []
  for (let at = path; at; at = at.above) keys.push(at.key)
  return keys.reverse()
}

function locationsOf(path: Path, locate: Prepared['locate']): SourceLocation[] {
  let at: Path | undefined = path
  while (at && !at.field) at = at.above
  const node = at?.field?.nodes[0]
  const place = node && locate(node)
  return place ? [place] : []
}
