import { Button, Divider } from '@mantine/core'
import type { Purpose } from '../api/challenges.ts'
import type { IdentityKind } from '../api/identity-kinds.ts'
import { signIn as texts } from '../texts/index.ts'
import { useInstalledWallets } from '../wallets/discovery.ts'
import type { InstalledWallet } from '../wallets/installed-wallet.ts'
import { ChoiceButton } from './choice-button.tsx'
import { lastWay } from './last-way.ts'

interface ChoicesProps {
  purpose: Purpose
  kinds: readonly IdentityKind[]
  passkey: (way: 'use' | 'create') => void
  wallet: (wallet: InstalledWallet) => void
  /** Opens the next step of a kind: a choice of wallets, a form, or another site. */
  kind: (kind: IdentityKind) => void
}

/** Wallets of these kinds are listed by name. Otherwise a wallet would be listed once for every chain. */
const NAMED = ['EVMAddress', 'SolanaAddress', 'AptosAddress', 'FlowAddress']

/** All sign-in methods: the last used first, then the passkey and the wallets of this browser, then the rest. */
export function Choices({ purpose, kinds, passkey, wallet, kind }: ChoicesProps) {
  const installed = useInstalledWallets()
  const last = purpose === 'sign-in' ? lastWay() : undefined
  const has = (name: string) => kinds.some((one) => one.kind === name)
  const named = installed.filter((one) => NAMED.includes(one.kind) && has(one.kind))
  const lastWallet = installed.find((one) => one.id === last && has(one.kind))
  const wallets = lastWallet ? [lastWallet, ...named.filter((one) => one !== lastWallet)] : named
  const others = kinds.filter((one) => one.kind !== 'ServiceID')
  const lastKind = others.find((one) => one.kind === last)
  const passkeyRow = has('ServiceID') && (
    <ChoiceButton
      key="passkey"
      kind="ServiceID"
      label={purpose === 'link' ? texts.passkey.add : texts.passkey.use}
      hint={last === 'ServiceID' ? texts.lastUsed : undefined}
      main={!lastWallet && !lastKind}
      onClick={() => passkey(purpose === 'link' ? 'create' : 'use')}
    />
  )
  const passkeyRows = [
    passkeyRow,
    purpose === 'sign-in' && has('ServiceID') && (
      <Button key="new-passkey" variant="subtle" size="compact-sm" onClick={() => passkey('create')}>
        {texts.passkey.create}
      </Button>
    ),
  ]
  const walletRows = wallets.map((one) => (
    <ChoiceButton
      key={one.id}
      kind={one.kind}
      icon={one.icon}
      label={one.name}
      hint={one === lastWallet ? `${texts.lastUsed} · ${texts.kinds[one.kind] ?? ''}` : texts.kinds[one.kind]}
      main={one === lastWallet}
      onClick={() => wallet(one)}
    />
  ))
  const lastKindRow = lastKind && (
    <ChoiceButton
      kind={lastKind.kind}
      label={texts.kinds[lastKind.kind] ?? lastKind.label}
      hint={texts.lastUsed}
      main
      onClick={() => kind(lastKind)}
    />
  )
  const labelOf = (one: IdentityKind) => {
    const label = texts.kinds[one.kind] ?? one.label
    return wallets.some((listed) => listed.kind === one.kind) ? texts.wallet.other(label) : label
  }
  const rest = others.filter((one) => one !== lastKind)
  return (
    <div className="choices">
      {lastKindRow}
      {lastWallet ? [walletRows[0], passkeyRows, walletRows.slice(1)] : [passkeyRows, walletRows]}
      {rest.length > 0 && (
        <>
          <Divider label={texts.otherWays} my="xs" />
          <div className="choices-grid">
            {rest.map((one) => (
              <ChoiceButton
                key={`${one.kind} ${one.way}`}
                kind={one.kind}
                label={labelOf(one)}
                onClick={() => kind(one)}
              />
            ))}
          </div>
        </>
      )}
    </div>
  )
}
