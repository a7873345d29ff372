import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { ApiFailure } from '../api/call.ts'
import { acceptInvitation, invitationQuery } from '../api/operator.ts'
import { sessionQuery } from '../api/session.ts'
import { forgetCode, takeCode } from '../shell/code-of-link.ts'
import { Fault } from '../shell/fault.tsx'
import { Frame } from '../shell/frame.tsx'
import { Loading } from '../shell/loading.tsx'
import { Notice } from '../shell/notice.tsx'
import { PageTitle } from '../shell/page-title.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { operator } from '../texts/operator-pages.ts'

const texts = operator.invitation
const KEY = 'questboard-operator-invitation'

/** `/operator-invitation#CODE`: makes the signed-in account an operator. */
export default function InvitationPage() {
  const [code] = useState(() => takeCode(KEY))
  const session = useQuery(sessionQuery)
  const invitation = useQuery({ ...invitationQuery(code ?? ''), enabled: code !== undefined })
  const accept = useMutation({ mutationFn: acceptInvitation, onSettled: () => forgetCode(KEY) })
  const account = session.data?.account
  return (
    <Frame>
      <PageTitle>{texts.title}</PageTitle>
      {session.isPending || invitation.isLoading ? (
        <Loading />
      ) : session.isLoadingError ? (
        <LoadFailure error={session.error} retry={() => void session.refetch()} />
      ) : accept.isSuccess ? (
        <>
          <Notice kind="good" title={texts.done} />
          <Group gap="xs">
            <Button component={Link} href="/content">
              {texts.spaces}
            </Button>
            <Button component={Link} href="/operator" variant="default">
              {texts.open}
            </Button>
          </Group>
        </>
      ) : code === undefined ? (
        <Notice kind="fault" title={texts.noCode}>
          {texts.noCodeHelp}
        </Notice>
      ) : isNotFound(invitation.error) || isNotFound(accept.error) ? (
        <Notice kind="fault" title={texts.invalid}>
          {texts.invalidHelp}
        </Notice>
      ) : invitation.isLoadingError ? (
        <LoadFailure error={invitation.error} retry={() => void invitation.refetch()} />
      ) : account ? (
        <>
          <Text>{texts.question(account.username)}</Text>
          <Fault error={accept.error} />
          <Button loading={accept.isPending} onClick={() => accept.mutate(code)}>
            {texts.accept}
          </Button>
        </>
      ) : (
        <>
          <Text>{texts.signInFirst}</Text>
          <Button component={Link} href="/sign-in?return=%2Foperator-invitation">
            {texts.signIn}
          </Button>
        </>
      )}
    </Frame>
  )
}

/** The code was used, or has expired. */
const isNotFound = (error: Error | null) => error instanceof ApiFailure && error.code === 'not_found'
