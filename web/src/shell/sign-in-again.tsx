import { Button, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { shell as texts } from '../texts/index.ts'
import { Notice } from './notice.tsx'
import { onSignedIn } from '../api/session-channel.ts'

interface SignInAgainProps {
  title: string
}

/** Asks for a sign-in in a new tab, because the page has unsaved input. */
export function SignInAgain({ title }: SignInAgainProps) {
  const [done, setDone] = useState(false)
  useEffect(() => onSignedIn(() => setDone(true)), [])
  if (done) return <Notice kind="good" title={texts.signedInAgain} />
  return (
    <Notice kind="fault" title={title}>
      <Text size="sm" mb="xs">
        {texts.signInKeepsPage}
      </Text>
      <Button component="a" size="xs" href="/sign-in?return=%2Fsigned-in" target="_blank">
        {texts.signInAgain}
      </Button>
    </Notice>
  )
}
