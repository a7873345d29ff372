import { ApiFailure, type FieldProblem } from '../api/call.ts'
import { describeFault } from './describe-fault.ts'
import { shell as texts, sources } from '../texts/index.ts'

/** The form field that an error names: `redirectUris` of `redirectUris.0`. */
export const fieldOf = (error: Error | null): string | undefined =>
  error instanceof ApiFailure ? error.field?.split('.')[0] : undefined

/** Why a field with this label is refused. */
export const labelled = (problem: FieldProblem, label: string): string =>
  texts.fault(label, describeFault({ ...problem, message: withoutField(problem) }))

/** The message of an error, with the label of the form field in place of its path in the request. */
export function withFieldLabels(labels: Readonly<Record<string, unknown>>, error: Error): string {
  if (!(error instanceof ApiFailure) || error.field === undefined) return error.message
  const { field, message, fault } = error
  const label = labels[fieldOf(error) ?? '']
  const problem = { field, message, fault }
  if (typeof label !== 'string') return fault ? labelled(problem, field) : message
  const entry = /^[^.]+\.(\d+)/.exec(field)?.[1]
  return entry === undefined
    ? labelled(problem, label)
    : texts.faultOfEntry(label, Number(entry) + 1, describeFault({ fault, message: withoutField(problem) }))
}

/** The message of an error for the place of its field, whose label is there. A field can have a line for each entry. */
export function faultAtField(error: Error): string {
  if (!(error instanceof ApiFailure) || error.field === undefined) return error.message
  const { field, message, fault } = error
  const text = describeFault({ fault, message: withoutField({ field, message }) })
  const entry = /^[^.]+\.(\d+)/.exec(field)?.[1]
  return entry === undefined ? text : sources.line(Number(entry) + 1, text)
}

const withoutField = ({ field, message }: FieldProblem): string =>
  message.startsWith(`${field} `) ? message.slice(field.length + 1) : message
