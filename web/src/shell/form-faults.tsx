import { Button } from '@mantine/core'
import { ApiFailure, problemsOf } from '../api/call.ts'
import { describeFault } from './describe-fault.ts'
import { Fault } from './fault.tsx'
import { Notice } from './notice.tsx'
import { useRefusedValues } from './refused-values.ts'
import { content as texts } from '../texts/index.ts'

/** The message for a field of the form, by its path in the request: `credentialGroups[0].conditions[1].credentialId`. */
export type FaultAt = (path: string) => string | undefined

/** @param input the values of the form, by their names in the request */
export function useFaults(error: Error | null, input: object): FaultAt {
  const isRefused = useRefusedValues(error, input)
  const problems = error instanceof ApiFailure ? problemsOf(error) : []
  return (path) => {
    const problem = problems.find(({ field }) => field === path)
    return problem && isRefused(path) ? describeFault(problem) : undefined
  }
}

interface FormFaultProps {
  error: Error | null
  /** The fields that show their own messages. */
  shown: readonly string[]
  /** Reads the stored values again; the form then starts with them. */
  reload?: () => void
}

/** The errors that no field of the form shows. */
export function FormFault({ error, shown, reload }: FormFaultProps) {
  if (error instanceof ApiFailure && error.code === 'changed_meanwhile' && reload)
    return (
      <Notice kind="warning" title={texts.changed}>
        <p>{texts.changedText}</p>
        <Button size="xs" variant="default" onClick={reload}>
          {texts.load}
        </Button>
      </Notice>
    )
  const isShown = (path: string) => shown.some((field) => path === field || path.startsWith(`${field}[`))
  if (error instanceof ApiFailure && problemsOf(error).some(({ field }) => isShown(field))) return null
  return <Fault error={error} />
}
