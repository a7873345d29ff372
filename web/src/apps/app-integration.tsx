import { Anchor, NativeSelect, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { discoveryQuery, type OwnApp } from '../api/apps.ts'
import { CodeToCopy } from '../shell/code-to-copy.tsx'
import { CopyValues } from '../shell/copy-values.tsx'
import { Loading } from '../shell/loading.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { serverApi as texts } from '../texts/index.ts'
import type { Integration } from './snippets/integration.ts'
import { type Discovery, oidcSettings, SETTINGS } from './snippets/settings.ts'
import { snippetsOf } from './snippets/snippets.ts'

const t = texts.apps.integration

/** Programs and settings with the values of the app. */
export function AppIntegration({ app }: { app: OwnApp }) {
  const discovery = useQuery(discoveryQuery)
  if (discovery.isPending) return <Loading />
  if (discovery.isError) return <LoadFailure error={discovery.error} retry={() => void discovery.refetch()} />
  return <Content app={app} discovery={discovery.data} />
}

function Content({ app, discovery }: { app: OwnApp; discovery: Discovery }) {
  const uris = app.redirectUris
  const [redirectUri, setRedirectUri] = useState(uris.find((uri) => uri.startsWith('http')) ?? uris[0] ?? '')
  const { clientId, scopes, publicClient } = app
  const integration: Integration = { issuer: discovery.issuer, clientId, redirectUri, scopes, publicClient }
  const settings = oidcSettings(integration, discovery)
  return (
    <>
      <Section title={t.programs} lead={publicClient ? t.programsOfPage : t.programsOfServer}>
        {uris.length > 1 && (
          <NativeSelect
            maw="34rem"
            label={t.redirectUri}
            value={redirectUri}
            onChange={(event) => setRedirectUri(event.currentTarget.value)}
            data={uris}
          />
        )}
        <Snippets key={redirectUri} app={integration} />
      </Section>
      <Section title={t.settings} lead={t.settingsLead}>
        <CopyValues
          values={SETTINGS.flatMap((name) => {
            const value = settings[name]
            return value === null ? [] : [{ name: t.names[name], value }]
          })}
        />
      </Section>
    </>
  )
}

function Snippets({ app }: { app: Integration }) {
  const snippets = snippetsOf(app)
  return (
    <Tabs defaultValue={snippets[0]?.name ?? null} keepMounted={false}>
      <Tabs.List aria-label={t.programs}>
        {snippets.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {t.languages[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ name, code }) => (
        <Tabs.Panel key={name} value={name} pt="sm">
          <Stack gap="xs">
            <Text size="sm">
              {app.publicClient ? t.helpOfPage[name] : t.helpOfServer[name]}
              {name === 'typescript' && (
                <>
                  {' '}
                  {texts.firstRequest.install}{' '}
                  <Anchor href="/docs/typescript-client" underline="always">
                    {texts.firstRequest.installLink}
                  </Anchor>
                </>
              )}
            </Text>
            <CodeToCopy code={code} name={texts.firstRequest.copy(t.languages[name])} />
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
