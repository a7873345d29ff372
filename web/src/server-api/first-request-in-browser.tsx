import { Anchor, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { entriesQuery } from '../api/explore.ts'
import type { IssuedToken } from '../api/tokens.ts'
import { CodeToCopy } from '../shell/code-to-copy.tsx'
import { serverApi as texts } from '../texts/index.ts'
import { browserRequest, sampleForBrowser } from './first-request.ts'

const t = texts.firstRequest
const NOTHING = { spaces: [], starboards: [], credentials: [] }

/** The first request with a new publishable token, as the script of a web page. */
export function FirstRequestInBrowser({ issued: { token, areas, spaceIds } }: { issued: IssuedToken }) {
  const known = useQuery(entriesQuery)
  if (known.isPending) return null
  const sample = sampleForBrowser(areas, spaceIds ?? [], known.data ?? NOTHING)
  return (
    <Stack gap="sm" className="inset" mt="md">
      <Text fw={500}>{t.title}</Text>
      <Text size="sm">
        {t.inPage}{' '}
        <Anchor href="/docs/guides/browser" underline="always">
          {t.inPageLink}
        </Anchor>
      </Text>
      <CodeToCopy code={browserRequest({ origin: location.origin, token }, sample)} name={t.copy('JavaScript')} />
    </Stack>
  )
}
