/** Why a line cannot be taken. */
export interface Problem {
  /** The line of the file, or the place of the record (from 1) when there is no file. */
  line: number
  /** The field, as it is called in the file; absent when the line as a whole is wrong. */
  field?: string
  /** What was found and what is allowed. */
  reason: string
  /** What kind of problem it is; INVALID_ARGUMENT when left out. */
  code?: ProblemCode
}

export type ProblemCode = 'INVALID_ARGUMENT' | 'NOT_FOUND' | 'CONFLICT' | 'OUT_OF_RANGE' | 'PERMISSION_DENIED'

/** What a statement found: its first problems, and how many there are in all. */
export interface Found {
  problems: Problem[]
  count: number
}

const KEPT = 100

/** Collects every bad line; keeps the first hundred (or more, when more are to be told) and counts the rest. */
export class Problems {
  readonly #most: number
  #kept: Problem[] = []
  #count = 0

  constructor(most = KEPT) {
    this.#most = most
  }

  get count(): number {
    return this.#count
  }

  /** Those that were kept, by line. */
  get first(): Problem[] {
    return this.#kept.toSorted((a, b) => a.line - b.line).slice(0, this.#most)
  }

  add(problem: Problem): void {
    this.#count++
    if (this.#kept.length < this.#most) this.#kept.push(problem)
  }

  addFound(found: Found): void {
    this.#count += found.count
    this.#kept.push(...found.problems)
  }
}

/** Nothing of the file was stored, because of these lines. */
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

/** A value as a refusal shows it: quoted, on one line, shortened. */
export function shown(value: unknown): string {
  const plain = (_: string, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)
  const text =
    typeof value === 'string' || typeof value === 'bigint'
      ? String(value)
      : (JSON.stringify(value, plain) ?? typeof value)
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
