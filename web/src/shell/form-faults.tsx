import { Button } from '@mantine/core'
import { ApiFailure } from '../api/call.ts'
import { Fault } from './fault.tsx'
import type { FaultAt } from './fault-at.ts'
import { entryOf, faultAtField, fieldProblems } from './field-fault.ts'
import { Notice } from './notice.tsx'
import { type Save, useRefusedValues } from './refused-values.ts'
import { content as texts } from '../texts/index.ts'

/** @param input the values of the form, by their names in the request */
export function useFaults(save: Save, input: object): FaultAt {
  const isRefused = useRefusedValues(save, input)
  const problems = fieldProblems(save.error)
  return (path, ofEntry) => {
    const problem = problems.find(({ field }) => field === path || (ofEntry && field.startsWith(`${path}.`)))
    if (!problem || !isRefused(problem.field)) return undefined
    const entry = problem.field === path ? undefined : entryOf(problem.field)
    return entry === undefined || !ofEntry ? faultAtField(problem) : ofEntry(entry, faultAtField(problem))
  }
}

interface FormFaultProps {
  error: Error | null
  /** The fields that show their own messages. */
  shown: readonly string[]
  /** Whether the fields of lists show the messages about their entries, such as `redirectUris.0`. */
  withEntries?: boolean
  /** Labels of other fields, by their names in the request. */
  labels?: Readonly<Record<string, string>>
  /** Reads the stored values again; the form then starts with them. */
  reload?: () => void
}

/** The errors that no field of the form shows. */
export function FormFault({ error, shown, withEntries = false, labels, reload }: FormFaultProps) {
  if (error instanceof ApiFailure && error.code === 'changed_meanwhile' && reload)
    return (
      <Notice kind="warning" title={texts.changed}>
        <p>{texts.changedText}</p>
        <Button size="xs" variant="default" onClick={reload}>
          {texts.load}
        </Button>
      </Notice>
    )
  const isShown = (path: string) =>
    shown.some((field) => path === field || path.startsWith(`${field}${withEntries ? '.' : '['}`))
  if (fieldProblems(error).some(({ field }) => isShown(field))) return null
  return <Fault error={error} {...(labels && { labels })} />
}
