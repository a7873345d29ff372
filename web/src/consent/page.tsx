import './consent.css'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiFailure } from '../api/call.ts'
import { authorizationQuery, decide, type UserDecision } from '../api/authorizations.ts'
import { Frame } from '../shell/frame.tsx'
import { Loading } from '../shell/loading.tsx'
import { Notice } from '../shell/notice.tsx'
import { PageTitle } from '../shell/page-title.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { explainCode } from '../sign-in/explain.ts'
import { useRedirectAnswer } from '../sign-in/return-to.ts'
import { Waiting } from '../sign-in/waiting.tsx'
import { consent as texts } from '../texts/index.ts'
import { ConsentForm } from './consent-form.tsx'
import { SignInFirst } from './sign-in-first.tsx'

/** `/authorize/{id}`: one request of an app, from signing in to the decision. */
export default function ConsentPage({ id }: { id: string }) {
  const request = useQuery(authorizationQuery(id))
  const { error } = useRedirectAnswer()
  const [identityError, setIdentityError] = useState(error)
  const decision = useMutation({
    mutationFn: (word: UserDecision) => decide(id, word),
    onSuccess: (redirect) => window.location.assign(redirect),
    // Another tab may have changed who is signed in, or what is linked.
    onError: () => void request.refetch(),
  })
  if (isGone(request.error) || isGone(decision.error))
    return (
      <Frame>
        <PageTitle>{texts.gone.title}</PageTitle>
        <Text role="alert">{texts.gone.text}</Text>
      </Frame>
    )
  if (request.isPending)
    return (
      <Frame>
        <Loading />
      </Frame>
    )
  if (request.isError)
    return (
      <Frame>
        <LoadFailure error={request.error} retry={() => void request.refetch()} />
      </Frame>
    )
  const { app, account } = request.data
  if (decision.isPending || decision.isSuccess)
    return (
      <Frame>
        <Waiting title={texts.going(app.returnsTo)} help="" />
      </Frame>
    )
  const deny = () => decision.mutate({ decision: 'deny' })
  const fault = identityError === undefined ? undefined : explainCode(identityError)
  return (
    <Frame>
      {account ? (
        <>
          <ConsentForm
            key={account.id}
            id={id}
            request={request.data}
            account={account}
            fault={fault}
            allow={(identities) => decision.mutate({ decision: 'allow', account: account.id, identities })}
            deny={deny}
            onLinked={() => setIdentityError(undefined)}
          />
          {decision.isError && <Notice kind="fault" title={texts.changed} />}
        </>
      ) : (
        <SignInFirst id={id} request={request.data} fault={fault} deny={deny} />
      )}
    </Frame>
  )
}

const isGone = (error: Error | null) => error instanceof ApiFailure && error.code === 'authorization_gone'
