import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { signOut } from '../api/session.ts'
import { signOutQuery } from '../api/sign-out.ts'
import { Fault } from '../shell/fault.tsx'
import { Frame } from '../shell/frame.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageTitle } from '../shell/page-title.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { consent } from '../texts/index.ts'

const t = consent.signOut

/** `/sign-out`: confirms a sign-out that an app has asked for, so that no foreign link can cause it. */
export default function SignOutPage() {
  const request = useQuery(signOutQuery(window.location.search))
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: () => {
      const redirect = request.data?.redirect
      if (redirect) window.location.assign(redirect)
      else void request.refetch()
    },
  })
  if (request.isPending) return <Loading />
  if (request.isError)
    return (
      <Frame>
        <PageTitle>{t.title}</PageTitle>
        <LoadFailure error={request.error} retry={() => void request.refetch()} />
      </Frame>
    )
  const { app, account, redirect } = request.data
  return (
    <Frame>
      <PageTitle>{t.title}</PageTitle>
      {account ? (
        <>
          <Text>{app ? t.question(app.name, account.username) : t.plainQuestion(account.username)}</Text>
          <Fault error={leave.error} />
          <Group gap="xs">
            <Button loading={leave.isPending} onClick={() => leave.mutate()}>
              {t.confirm}
            </Button>
            <Button component={Link} href="/account" variant="default">
              {t.stay}
            </Button>
          </Group>
        </>
      ) : (
        <>
          <Text role="status">{t.done}</Text>
          <Group gap="xs">
            <Button component="a" href={redirect ?? '/'} variant="default">
              {app && redirect ? t.back(app.name) : t.home}
            </Button>
          </Group>
        </>
      )}
    </Frame>
  )
}
