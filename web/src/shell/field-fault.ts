import { ApiFailure } from '../api/call.ts'
import { shell as texts } from '../texts/index.ts'

/** The form field that an error names: `redirectUris` of `redirectUris.0`. */
export const fieldOf = (error: Error | null): string | undefined =>
  error instanceof ApiFailure ? error.field?.split('.')[0] : undefined

/** The message of an error, with the label of the form field in place of its path in the request. */
export function withFieldLabels(labels: Readonly<Record<string, unknown>>, error: Error): string {
  const label = labels[fieldOf(error) ?? '']
  if (!(error instanceof ApiFailure) || error.field === undefined || typeof label !== 'string') return error.message
  const { field, message } = error
  const what = message.startsWith(`${field} `) ? message.slice(field.length + 1) : message
  const entry = /^[^.]+\.(\d+)/.exec(field)?.[1]
  return entry === undefined ? texts.fault(label, what) : texts.faultOfEntry(label, Number(entry) + 1, what)
}
