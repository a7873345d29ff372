import { Anchor, Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { sessionQuery } from '../api/session.ts'
import { brand } from '../brand.ts'
import { Frame } from '../shell/frame.tsx'
import { Loading } from '../shell/loading.tsx'
import { useParameters } from '../shell/page-parameter.ts'
import { PageTitle } from '../shell/page-title.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { shell, signIn as texts } from '../texts/index.ts'
import { explain, explainCode, type Explanation } from './explain.ts'
import { SignInPanel } from './panel.tsx'
import { HOME, openTarget, returnPath, SIGNED_IN, useRedirectAnswer } from './return-to.ts'
import { finishTelegram, takeTelegramAnswer } from './telegram.ts'

/** `/sign-in?return=PATH`: the sign-in page of the service itself. */
export default function SignInPage() {
  const [, go] = useLocation()
  const parameters = useParameters()
  const target = returnPath(parameters)
  const session = useQuery(sessionQuery)
  const { error } = useRedirectAnswer()
  const [fault, setFault] = useState<Explanation | undefined>(error === undefined ? undefined : explainCode(error))
  const finishing = useTelegramAnswer(go, setFault)
  const account = session.data?.account
  const part = target.startsWith('/explore/quests/') ? 'quest' : (target.split(/[/?]/)[1] ?? '')
  const why = parameters.has('return') && Object.hasOwn(texts.why, part) ? texts.why[part] : undefined
  const here = target === HOME ? '/sign-in' : `/sign-in?return=${encodeURIComponent(target)}`
  // The user has returned signed in from another site.
  const isBack = account !== undefined && !fault && parameters.has('done')
  useEffect(() => {
    if (isBack) openTarget(target, go)
  }, [isBack, target, go])
  if (isBack) return <Loading />
  return (
    <Frame>
      <PageTitle name={texts.title}>{texts.heading(brand.name)}</PageTitle>
      {account && (
        <>
          <Text>{texts.signedInAs(account.username)}</Text>
          {target !== SIGNED_IN && <Button onClick={() => openTarget(target, go)}>{texts.continue}</Button>}
        </>
      )}
      {why !== undefined && !account && <Text size="sm">{why}</Text>}
      <Text c="dimmed" size="sm">
        {texts.lead}
      </Text>
      {session.isLoadingError ? (
        <LoadFailure error={session.error} retry={() => void session.refetch()} />
      ) : finishing || session.isPending ? (
        <Loading />
      ) : (
        <SignInPanel
          purpose="sign-in"
          returnTo={`/sign-in?done=1&return=${encodeURIComponent(target)}`}
          phoneUrl={window.location.origin + here}
          fault={fault}
          onDone={() => openTarget(target, go)}
        />
      )}
      <Text c="dimmed" size="sm">
        {texts.noAccountNeeded}{' '}
        <Anchor href="/playground" underline="always">
          {shell.playground}
        </Anchor>
        {' · '}
        <Anchor href="/docs" underline="always">
          {shell.manual}
        </Anchor>
      </Text>
    </Frame>
  )
}

/** Finishes a sign-in with the Telegram widget. Returns whether it is in progress. */
function useTelegramAnswer(go: (path: string) => void, fail: (fault: Explanation) => void): boolean {
  const [answer] = useState(takeTelegramAnswer)
  const [finishing, setFinishing] = useState(answer !== undefined)
  useEffect(() => {
    if (answer === undefined) return
    const { pending } = answer
    const done = answer.answer ? finishTelegram(pending, answer.answer) : Promise.reject(new Error('rejected'))
    done
      .then((page) => go(page))
      .catch((error: unknown) => fail(explain(error)))
      .finally(() => setFinishing(false))
  }, [])
  return finishing
}
