import { Button, Text } from '@mantine/core'
import { useLocation, useSearch } from 'wouter'
import { ApiFailure } from '../api/call.ts'
import { shell as texts } from '../texts/index.ts'
import { withFieldLabels } from './field-fault.ts'
import { Notice } from './notice.tsx'

const SIGN_IN_CODES = ['fresh_sign_in_required', 'sign_in_required']

interface FaultProps {
  error: Error | null
  /** Labels of the fields of the form, by their names in the request. */
  labels?: Readonly<Record<string, unknown>>
  /** Opens the sign-in in a new tab, because the page holds what no address can: a chosen file. */
  keepsPage?: boolean
}

/** Shows the error of the service, with a link to sign in again if a recent sign-in is required. */
export function Fault({ error, labels = {}, keepsPage = false }: FaultProps) {
  const [path] = useLocation()
  const search = useSearch()
  if (error === null) return null
  if (!(error instanceof ApiFailure) || !SIGN_IN_CODES.includes(error.code))
    return <Notice kind="fault" title={withFieldLabels(labels, error)} />
  const here = search === '' ? path : `${path}?${search}`
  return (
    <Notice kind="fault" title={texts.notFresh}>
      {keepsPage && (
        <Text size="sm" mb="xs">
          {texts.signInKeepsPage}
        </Text>
      )}
      <Button
        component="a"
        size="xs"
        href={`/sign-in?return=${encodeURIComponent(here)}`}
        {...(keepsPage && { target: '_blank' })}
      >
        {texts.signInAgain}
      </Button>
    </Notice>
  )
}
