import { Button } from '@mantine/core'
import { useLocation } from 'wouter'
import { ApiFailure } from '../api/call.ts'
import { texts } from '../texts/shell.ts'
import { Notice } from './notice.tsx'

const SIGN_IN_CODES = ['fresh_sign_in_required', 'sign_in_required']

/** Why something was refused, in the words of the service; with the way to sign in once more where that is the reason. */
export function Fault({ error }: { error: Error | null }) {
  const [address] = useLocation()
  if (error === null) return null
  if (!(error instanceof ApiFailure) || !SIGN_IN_CODES.includes(error.code))
    return <Notice kind="fault" title={error.message} />
  return (
    <Notice kind="fault" title={texts.notFresh}>
      <Button component="a" size="xs" href={`/sign-in?return=${encodeURIComponent(address)}`}>
        {texts.signInAgain}
      </Button>
    </Notice>
  )
}
