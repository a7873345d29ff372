import { Anchor, Stack, Text, Title, UnstyledButton } from '@mantine/core'
import { signIn as texts } from '../texts/index.ts'
import { walletAppsFor } from '../wallets/wallet-apps.ts'
import { KindMark } from './kind-mark.tsx'

const t = texts.wallet

interface WalletAppsProps {
  kind: string
  /** The sign-in page. Undefined if the browser of a wallet cannot continue this sign-in. */
  page: string | undefined
  /** The app for which the user signs in. */
  app: { name: string; homepage: string } | undefined
}

/** On a phone: opens the page in the browser of a wallet app, or says what to do. */
export function WalletApps({ kind, page, app }: WalletAppsProps) {
  const target = page ?? app?.homepage
  // An app may have no website; its homepage is then empty.
  if (!target) return <Text size="sm">{app === undefined ? t.linkInApp : t.noWebsite(app.name)}</Text>
  const apps = walletAppsFor(kind)
  return (
    <Stack gap="sm">
      <Title order={3} size="h5">
        {t.apps}
      </Title>
      {page === undefined && app !== undefined && <Text size="sm">{t.startInApp(app.name)}</Text>}
      {apps.map(({ name, open }) => (
        <UnstyledButton key={name} component="a" href={open(new URL(target))} className="choice">
          <KindMark kind={kind} />
          <span className="choice-label">{t.openIn(name)}</span>
        </UnstyledButton>
      ))}
      <Text size="sm" c="dimmed">
        {apps.length > 0 ? t.appsHelp : t.noApps}
      </Text>
      <Anchor size="sm" href={target} className="mono">
        {target}
      </Anchor>
    </Stack>
  )
}
