import { Anchor, Button, Stack, Text, Title } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { signIn as texts } from '../texts/index.ts'
import { useInstalledWallets } from '../wallets/discovery.ts'
import type { InstalledWallet } from '../wallets/installed-wallet.ts'
import { isPhone } from '../wallets/wallet-apps.ts'
import { ChoiceButton } from './choice-button.tsx'
import { StepTitle } from './step-title.tsx'
import { WalletApps } from './wallet-apps.tsx'

const QrCode = lazy(() => import('./qr-code.tsx'))

interface WalletListProps {
  kind: string
  /** Our own page, to open on a phone; undefined if the phone cannot continue this sign-in. */
  phoneUrl: string | undefined
  /** The app for which the user signs in. */
  app: { name: string; homepage: string } | undefined
  choose: (wallet: InstalledWallet) => void
  back: () => void
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** The wallets of one kind in this browser, or what to do without one. */
export function WalletList({ kind, phoneUrl, app, choose, back }: WalletListProps) {
  const wallets = useInstalledWallets().filter((wallet) => wallet.kind === kind)
  const onPhone = isPhone()
  const name = texts.kinds[kind] ?? kind
  return (
    <Stack gap="sm">
      <StepTitle>{wallets.length > 0 ? texts.wallet.choose(name) : texts.wallet.notFound(name)}</StepTitle>
      {wallets.map((wallet) => (
        <ChoiceButton
          key={wallet.id}
          kind={kind}
          icon={wallet.icon}
          label={wallet.name}
          onClick={() => choose(wallet)}
        />
      ))}
      {wallets.length === 0 && onPhone && <WalletApps kind={kind} page={phoneUrl} app={app} />}
      {wallets.length === 0 && !onPhone && (
        <>
          <Text size="sm">{texts.wallet.notFoundHelp}</Text>
          <Button variant="default" onClick={() => window.location.reload()}>
            {texts.wallet.look}
          </Button>
        </>
      )}
      {wallets.length === 0 && !onPhone && phoneUrl !== undefined && (
        <Stack gap="xs">
          <Title order={3} size="h5">
            {texts.wallet.qr}
          </Title>
          {LOOPBACK.includes(new URL(phoneUrl).hostname) ? (
            <Text size="sm">{texts.wallet.onlyThisComputer}</Text>
          ) : (
            <>
              <Suspense fallback={<div className="qr" />}>
                <QrCode text={phoneUrl} />
              </Suspense>
              <Text size="sm" c="dimmed">
                {texts.wallet.qrHelp}
              </Text>
              <Anchor size="sm" href={phoneUrl} className="mono">
                {phoneUrl}
              </Anchor>
            </>
          )}
        </Stack>
      )}
      <Button variant="subtle" onClick={back}>
        {texts.back}
      </Button>
    </Stack>
  )
}
