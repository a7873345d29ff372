import { ApiFailure } from '../api/call.ts'
import { withFieldLabels } from './field-fault.ts'
import { shell as texts } from '../texts/index.ts'
import { Notice } from './notice.tsx'
import { SignInAgain } from './sign-in-again.tsx'

const SIGN_IN_TITLES: Readonly<Record<string, string>> = {
  fresh_sign_in_required: texts.notFresh,
  sign_in_required: texts.sessionEnded,
}

interface FaultProps {
  error: Error | null
  /** Labels of the fields of the form, by their names in the request. */
  labels?: Readonly<Record<string, unknown>>
}

/** Shows the error of the service, with a link to sign in again if a recent sign-in is required. */
export function Fault({ error, labels = {} }: FaultProps) {
  if (error === null) return null
  const signIn = error instanceof ApiFailure ? SIGN_IN_TITLES[error.code] : undefined
  if (signIn !== undefined) return <SignInAgain title={signIn} />
  return <Notice kind="fault" title={withFieldLabels(labels, error)} />
}
