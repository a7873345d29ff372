import type { Fault } from '../../../server/src/texts/faults.ts'
import { errorText, loadFaultTexts, queryErrorText } from '../texts/faults.ts'
import { shell } from '../texts/index.ts'
import { textOfFault } from '../shell/describe-fault.ts'

/** An error of the JSON API, or a missing response. */
export class ApiFailure extends Error {
  override name = 'ApiFailure'
  /** The HTTP status; 0 if the service could not be reached. */
  readonly status: number
  readonly code: string
  /** The path of the invalid field in the body. */
  readonly field: string | undefined
  /** Seconds after which the same request may succeed. */
  readonly retryAfter: number | undefined
  /** The reason of a refused claim (docs/quests.md). */
  readonly reason: string | undefined
  /** All invalid fields of the body, with their paths. */
  readonly problems: readonly FieldProblem[]
  /** The reason for which `field`, or the request as a whole, is refused. */
  readonly fault: FieldFault | undefined

  constructor(
    status: number,
    code: string,
    message: string,
    field?: string,
    retryAfter?: number,
    reason?: string,
    problems: readonly FieldProblem[] = [],
    fault?: FieldFault,
  ) {
    super(message)
    this.status = status
    this.code = code
    this.field = field
    this.retryAfter = retryAfter
    this.reason = reason
    this.problems = problems
    this.fault = fault
  }
}

/** A service that has just been updated can have codes that this page does not know. */
export type FieldFault = Omit<Fault, 'code'> & { code: string }

export interface FieldProblem {
  field: string
  message: string
  fault?: FieldFault | undefined
}

/** The invalid fields of a request; some routes name only the first. */
export function problemsOf({ problems, field, message, fault }: ApiFailure): readonly FieldProblem[] {
  if (problems.length > 0) return problems
  return field === undefined ? [] : [{ field, message, fault }]
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface ErrorBody {
  error?: {
    code?: string
    message?: string
    field?: string
    refusal?: { reason: string }
    fault?: FieldFault
    problems?: FieldProblem[]
  }
  /** Errors of the query service. */
  errors?: { message: string; extensions: { code: string } }[]
}

/** Sends one request to our own origin. Returns the body, or undefined for an empty response. @throws ApiFailure */
export async function send<T>(
  method: Method,
  path: string,
  body?: unknown,
  csrfToken?: string,
  signal?: AbortSignal,
): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(csrfToken !== undefined && { 'x-csrf-token': csrfToken }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch(() => {
    throw new ApiFailure(0, 'unreachable', shell.unreachable)
  })
  const text = await response.text()
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as T
  const refused = readError(text)
  if (refused.error ?? refused.errors) await loadFaultTexts()
  throw failureOf(response.status, refused, Number(response.headers.get('retry-after')) || undefined)
}

/** The failure that a response describes. Call `loadFaultTexts` before. */
export function failureOf(status: number, { error = {}, errors: [refusal] = [] }: ErrorBody, retryAfter?: number) {
  const { code = refusal?.extensions.code ?? 'unknown', field, problems, fault } = error
  const ofQuery = refusal && (queryErrorText({ code, message: refusal.message }) ?? refusal.message)
  const message = textOfFault(fault) ?? errorText(code) ?? error.message ?? ofQuery ?? shell.badStatus(status)
  return new ApiFailure(status, code, message, field, retryAfter, error.refusal?.reason, problems, fault)
}

export function readError(text: string): ErrorBody {
  try {
    return JSON.parse(text) as ErrorBody
  } catch {
    return {} // a proxy responded with HTML
  }
}
