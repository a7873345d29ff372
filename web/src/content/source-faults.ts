import { ApiFailure, type FieldProblem, problemsOf } from '../api/call.ts'
import { describeFault } from '../shell/describe-fault.ts'
import { lineOf } from '../shell/lines.ts'
import { sources as texts } from '../texts/index.ts'
import type { Draft } from './source-draft.ts'

/** The message for a setting, or for one of its lines or headers. */
export type SourceFaultAt = (path: string) => string | undefined

/** Messages by the path of the setting: the service names `source.domains.2`, a form has one field for all domains. */
export function sourceFaults(error: Error | null, paths: readonly string[], draft: Draft): SourceFaultAt {
  const problems = problemsIn(error)
  return (path) => {
    const own = problems.find(({ field }) => field === path)
    if (own) return describeFault(own)
    const part = problems.find(({ field }) => field.startsWith(`${path}.`) && !paths.includes(field))
    if (!part) return undefined
    const name = part.field.slice(path.length + 1)
    if (!/^\d+$/.test(name)) return `${name}: ${describeFault(part)}`
    const text = draft[path]
    const entry = Number(name) + 1
    return texts.line(typeof text === 'string' ? lineOf(text, entry) : entry, describeFault(part))
  }
}

/** Whether a field shows all messages of the error. */
export const isAtFields = (error: Error | null, paths: readonly string[]): boolean => {
  const problems = problemsIn(error)
  return (
    problems.length > 0 && problems.every(({ field }) => paths.some((p) => field === p || field.startsWith(`${p}.`)))
  )
}

function problemsIn(error: Error | null): FieldProblem[] {
  if (!(error instanceof ApiFailure)) return []
  return problemsOf(error).map((one) => ({ ...one, field: one.field.replace(/^source\.(?=.)/, '') }))
}
