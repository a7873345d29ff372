import { ApiFailure, type FieldProblem, problemsOf } from '../api/call.ts'
import { describeFault } from './describe-fault.ts'
import { shell as texts } from '../texts/index.ts'

/** The problems that an error names, with their paths in the request. */
export const fieldProblems = (error: Error | null): readonly FieldProblem[] =>
  error instanceof ApiFailure ? problemsOf(error) : []

/** The number of the refused entry of a list, from 1: 3 for `redirectUris.2`. */
export function entryOf(field: string): number | undefined {
  const index = /^[^.]+\.(\d+)/.exec(field)?.[1]
  return index === undefined ? undefined : Number(index) + 1
}

/** Why a field with this label is refused. */
export const labelled = (problem: FieldProblem, label: string): string => texts.fault(label, faultAtField(problem))

/** The message of an error, with the label of the form field in place of its path in the request. */
export function withFieldLabels(labels: Readonly<Record<string, unknown>>, error: Error): string {
  if (!(error instanceof ApiFailure) || error.field === undefined) return error.message
  const { field, message, fault } = error
  const label = labels[field.split('.')[0] ?? '']
  const problem = { field, message, fault }
  if (typeof label !== 'string') return fault ? labelled(problem, field) : message
  const entry = entryOf(field)
  return entry === undefined ? labelled(problem, label) : texts.faultOfEntry(label, entry, faultAtField(problem))
}

/** The message for the place of the field, whose label is there. */
export const faultAtField = (problem: FieldProblem): string =>
  describeFault({ ...problem, message: withoutField(problem) })

const withoutField = ({ field, message }: FieldProblem): string =>
  message.startsWith(`${field} `) ? message.slice(field.length + 1) : message
