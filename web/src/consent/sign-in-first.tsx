import { Button, Text } from '@mantine/core'
import type { AuthorizationRequest } from '../api/authorizations.ts'
import { Notice } from '../shell/notice.tsx'
import type { Explanation } from '../sign-in/explain.ts'
import { SignInPanel } from '../sign-in/panel.tsx'
import { signIn, consent as texts } from '../texts/index.ts'
import { AppHeading } from './app-heading.tsx'

interface SignInFirstProps {
  id: string
  request: AuthorizationRequest
  fault: Explanation | undefined
  deny: () => void
}

/** Shown if no user is signed in, or if the app asked for a new sign-in. The authorization request waits. */
export function SignInFirst({ id, request: { app, otherAccountExpected }, fault, deny }: SignInFirstProps) {
  return (
    <>
      <AppHeading app={app}>{signIn.headingFor(app.name)}</AppHeading>
      {otherAccountExpected && (
        <Notice kind="warning" title={texts.otherExpected.title}>
          {texts.otherExpected.text}
        </Notice>
      )}
      <SignInPanel purpose="sign-in" returnTo={`/authorize/${id}`} app={app} fault={fault} onDone={() => undefined} />
      <Button variant="subtle" color="gray" onClick={deny}>
        {texts.deny}
      </Button>
      <Text size="sm" c="dimmed">
        {signIn.leadFor(app.returnsTo)}
      </Text>
    </>
  )
}
