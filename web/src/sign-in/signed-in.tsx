import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Redirect } from 'wouter'
import { sessionQuery } from '../api/session.ts'
import { Frame } from '../shell/frame.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageTitle } from '../shell/page-title.tsx'
import { tellSignedIn } from '../api/session-channel.ts'
import { signIn as texts } from '../texts/index.ts'
import { HOME } from './return-to.ts'

/** `/signed-in`: after a new sign-in for a page that waits in another tab. */
export default function SignedInPage() {
  const session = useQuery(sessionQuery)
  const account = session.data?.account
  const isSignedIn = account !== undefined && account !== null
  useEffect(() => {
    if (!isSignedIn) return
    tellSignedIn()
    // Browsers ignore this for tabs that the user has opened.
    window.close()
  }, [isSignedIn])
  if (session.isPending) return <Loading />
  if (!isSignedIn) return <Redirect to="/sign-in" replace />
  return (
    <Frame>
      <PageTitle>{texts.signedInTitle}</PageTitle>
      <Text>{texts.signedInAs(account.username)}</Text>
      <Text>{texts.otherTab}</Text>
      <Text size="sm">
        <Anchor href={HOME} underline="always">
          {texts.stayHere}
        </Anchor>
      </Text>
    </Frame>
  )
}
