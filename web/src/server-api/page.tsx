import './server-api.css'
import { Stack, Text } from '@mantine/core'
import { NotHere } from '../shell/not-found.tsx'
import { PageTitle } from '../shell/page-title.tsx'
import { hooks, serverApi as texts } from '../texts/index.ts'
import { Apps } from './apps.tsx'
import { IngestTokens } from './ingest-tokens.tsx'
import { Tokens } from './tokens.tsx'
import { Usage } from './usage.tsx'
import { Webhooks } from './webhooks.tsx'

/** `/settings/server-api…`: the settings that a business account needs to build on the service. */
export default function ServerApiPage({ section }: { section: string | undefined }) {
  switch (section) {
    case undefined:
      return (
        <Stack>
          <PageTitle>{texts.title}</PageTitle>
          <Text c="dimmed">{texts.lead}</Text>
          <Tokens />
        </Stack>
      )
    case 'usage':
      return (
        <Stack>
          <PageTitle>{texts.usage.title}</PageTitle>
          <Usage />
        </Stack>
      )
    case 'apps':
      return (
        <Stack>
          <PageTitle>{texts.apps.title}</PageTitle>
          <Apps />
        </Stack>
      )
    case 'webhooks':
      return (
        <Stack>
          <PageTitle>{hooks.webhooks.title}</PageTitle>
          <Webhooks />
        </Stack>
      )
    case 'ingest-tokens':
      return (
        <Stack>
          <PageTitle>{hooks.ingest.title}</PageTitle>
          <IngestTokens />
        </Stack>
      )
    default:
      return <NotHere />
  }
}
