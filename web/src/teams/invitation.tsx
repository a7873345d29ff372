import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { sessionQuery } from '../api/session.ts'
import { joinTeam, teamInvitationQuery } from '../api/teams.ts'
import { forgetCode, takeCode } from '../shell/code-of-link.ts'
import { Fault } from '../shell/fault.tsx'
import { Frame } from '../shell/frame.tsx'
import { Loading } from '../shell/loading.tsx'
import { Notice } from '../shell/notice.tsx'
import { PageTitle } from '../shell/page-title.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { content, teams } from '../texts/index.ts'

const texts = teams.invitation
const KEY = 'questboard-team-invitation'

/** `/team-invitation#CODE`: takes the signed-in account into the team of a space. */
export default function TeamInvitationPage() {
  const [code] = useState(() => takeCode(KEY))
  const session = useQuery(sessionQuery)
  if (session.isPending) return <Loading />
  const account = session.data?.account
  return (
    <Frame>
      <PageTitle>{texts.title}</PageTitle>
      {session.isLoadingError ? (
        <LoadFailure error={session.error} retry={() => void session.refetch()} />
      ) : code === undefined ? (
        <Notice kind="fault" title={texts.noCode}>
          {texts.noCodeHelp}
        </Notice>
      ) : account ? (
        <Offer code={code} username={account.username} />
      ) : (
        <>
          <Text>{texts.signInFirst}</Text>
          <Button component={Link} href="/sign-in?return=%2Fteam-invitation">
            {texts.signIn}
          </Button>
        </>
      )}
    </Frame>
  )
}

function Offer({ code, username }: { code: string; username: string }) {
  const invitation = useQuery(teamInvitationQuery(code))
  const join = useMutation({ mutationFn: () => joinTeam(code), onSuccess: () => forgetCode(KEY) })
  if (invitation.isPending) return <Loading />
  if (invitation.isLoadingError)
    return (
      <Notice kind="fault" title={texts.invalid}>
        {texts.invalidHelp}
      </Notice>
    )
  const { space, role } = invitation.data
  if (join.isSuccess)
    return (
      <>
        <Notice kind="good" title={texts.done(space.name)} />
        <Button component={Link} href={`/content/spaces/${space.spaceId}`}>
          {texts.open}
        </Button>
      </>
    )
  return (
    <>
      <Text>{texts.question(username, space.name, content.standings[role])}</Text>
      <Text c="dimmed" size="sm">
        {teams.rights[role]}
      </Text>
      <Fault error={join.error} />
      <Button loading={join.isPending} onClick={() => join.mutate()}>
        {texts.accept}
      </Button>
    </>
  )
}
