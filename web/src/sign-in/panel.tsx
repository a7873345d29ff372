import './sign-in.css'
import { Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiFailure } from '../api/call.ts'
import type { Proved, Purpose } from '../api/challenges.ts'
import { type IdentityKind, kindsQuery } from '../api/identity-kinds.ts'
import { Loading } from '../shell/loading.tsx'
import { Notice } from '../shell/notice.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { signIn as texts } from '../texts/index.ts'
import type { InstalledWallet } from '../wallets/installed-wallet.ts'
import { Choices } from './choices.tsx'
import { EmailForm } from './email-form.tsx'
import { explain, type Explanation } from './explain.ts'
import { emailJob, leaveForSite, passkeyJob, telegramJob, walletJob } from './jobs.ts'
import { useProof } from './use-proof.ts'
import { Waiting } from './waiting.tsx'
import { WalletList } from './wallet-list.tsx'

export interface SignInPanelProps {
  purpose: Purpose
  /** The kinds to offer; default: all that are enabled. */
  only?: readonly string[]
  /** The path of this site to which the redirect kinds return. */
  returnTo: string
  phoneUrl?: string | undefined
  /** The app for which the user signs in. */
  app?: { name: string; homepage: string }
  /** The error of an attempt that another page started. */
  fault?: Explanation | undefined
  onDone: (session: Proved) => void
}

type View = { at: 'choices' } | { at: 'wallets'; kind: string } | { at: 'email' }

/** Lets the user choose an identity kind and prove an identity: to sign in, to link it, or for a merge. */
export function SignInPanel({ purpose, only, returnTo, phoneUrl, app, fault: before, onDone }: SignInPanelProps) {
  const kinds = useQuery(kindsQuery)
  const [chosen, setChosen] = useState<View>()
  const proof = useProof(purpose, onDone)
  if (kinds.isPending) return <Loading />
  if (kinds.isLoadingError) return <LoadFailure error={kinds.error} retry={() => void kinds.refetch()} />

  const offered = kinds.data.kinds.filter(({ kind }) => only?.includes(kind) ?? true)
  const view = chosen ?? firstView(offered, only)
  const open = (next: View) => {
    proof.cancel()
    setChosen(next)
  }
  const back = () => open({ at: 'choices' })
  const openKind = (kind: IdentityKind) => {
    if (kind.way === 'wallet') open({ at: 'wallets', kind: kind.kind })
    else if (kind.way === 'email-code') open({ at: 'email' })
    else if (kind.way === 'telegram-widget') proof.run(telegramJob(returnTo))
    else leaveForSite(kind, purpose, returnTo)
  }
  const useWallet = (wallet: InstalledWallet) => proof.run(walletJob(wallet))

  // The email form stays mounted, so that its input is not lost.
  if (proof.job && view.at !== 'email')
    return <Waiting title={proof.job.title} help={proof.job.help} cancel={proof.cancel} />
  const told = view.at === 'email' && !needsSignIn(proof.error) ? null : proof.error
  const fault = told ? explain(told) : before
  return (
    <Stack gap="md">
      {fault && (
        <Notice kind="fault" title={fault.title}>
          {fault.text}
          {needsSignIn(proof.error) && (
            <Button component="a" href={`/sign-in?return=${encodeURIComponent(returnTo)}`} size="xs" mt="sm">
              {texts.title}
            </Button>
          )}
        </Notice>
      )}
      {view.at === 'wallets' && (
        <WalletList kind={view.kind} phoneUrl={phoneUrl} app={app} choose={useWallet} back={back} />
      )}
      {view.at === 'email' && (
        <EmailForm
          purpose={purpose}
          confirm={(challenge, code) => proof.run(emailJob(challenge, code))}
          confirming={proof.job !== undefined}
          refusal={needsSignIn(proof.error) ? null : proof.error}
          reset={proof.cancel}
          back={back}
        />
      )}
      {view.at === 'choices' && (
        <Choices
          purpose={purpose}
          kinds={offered}
          passkey={(way) => proof.run(passkeyJob(way))}
          wallet={useWallet}
          kind={openKind}
        />
      )}
    </Stack>
  )
}

/** Skips the choice if only one kind is offered. */
function firstView(offered: readonly IdentityKind[], only: readonly string[] | undefined): View {
  const [kind, second] = offered
  if (only === undefined || kind === undefined || second !== undefined) return { at: 'choices' }
  if (kind.way === 'wallet') return { at: 'wallets', kind: kind.kind }
  return kind.way === 'email-code' ? { at: 'email' } : { at: 'choices' }
}

const needsSignIn = (error: Error | null) =>
  error instanceof ApiFailure && (error.code === 'fresh_sign_in_required' || error.code === 'sign_in_required')
