import type { Fault } from '../texts/faults.ts'

/** The reason for which a line is rejected. */
export interface Problem {
  /** The line of the file, or the position of the record, from 1. */
  line: number
  /** The field as named in the file; absent if the whole line is invalid. */
  field?: string
  /** The value found, and the allowed values. */
  reason: string
  /** The content of `reason`, for texts in other languages. */
  fault?: Fault
  /** Default: INVALID_ARGUMENT. */
  code?: ProblemCode
  /** The problems inside the value of the field, if the value has parts. */
  parts?: readonly ProblemPart[]
}

export interface ProblemPart {
  /** The path from the field, such as `[0].conditions[1].credentialId`; '' for the whole value. */
  path: string
  reason: string
  fault: Fault
}

export type ProblemCode = 'INVALID_ARGUMENT' | 'NOT_FOUND' | 'CONFLICT' | 'OUT_OF_RANGE' | 'PERMISSION_DENIED'

/** The first problems that a query found, and the number of all problems. */
export interface Found {
  problems: Problem[]
  count: number
}

const KEPT = 100

/** Collects problems: keeps the first hundred (or `max`) and counts the rest. */
export class Problems {
  readonly #max: number
  #kept: Problem[] = []
  #count = 0

  constructor(max = KEPT) {
    this.#max = max
  }

  get count(): number {
    return this.#count
  }

  /** The problems that were kept, by line. */
  get first(): Problem[] {
    return this.#kept.toSorted((a, b) => a.line - b.line).slice(0, this.#max)
  }

  add(problem: Problem): void {
    this.#count++
    if (this.#kept.length < this.#max) this.#kept.push(problem)
  }

  addFound(found: Found): void {
    this.#count += found.count
    this.#kept.push(...found.problems)
  }
}

/** The import failed because of these lines; nothing was stored. */
export class ImportRefusedError extends Error {
  override name = 'ImportRefusedError'
  readonly problems: Problem[]
  readonly count: number

  constructor(problems: Problem[], count: number) {
    const listed = problems.map(describeProblem).join('\n')
    const rest = count > problems.length ? `\n… and ${count - problems.length} more` : ''
    super(`Nothing was stored: ${count} ${count === 1 ? 'problem' : 'problems'}\n${listed}${rest}`)
    this.problems = problems
    this.count = count
  }
}

export function describeProblem({ line, field, reason }: Problem): string {
  return `line ${line}${field === undefined ? '' : `, ${field}`}: ${reason}`
}

/** A value for a message: quoted, on one line, shortened. */
export function quoteValue(value: unknown): string {
  const text = textOfJson(value)
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}

/** A text or integer as it is, any other value as JSON. `String(value)` would throw for `{"toString": null}`. */
export function textOfJson(value: unknown): string {
  const plain = (_: string, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)
  if (typeof value === 'string' || typeof value === 'bigint') return String(value)
  return JSON.stringify(value, plain) ?? typeof value
}
