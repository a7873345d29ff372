import { Anchor, Button, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { entriesQuery } from '../api/explore.ts'
import { playgroundLink } from '../api/graph.ts'
import type { IssuedToken } from '../api/tokens.ts'
import { openWithToken } from '../playground/access-token.ts'
import { CodeToCopy } from '../shell/code-to-copy.tsx'
import { serverApi as texts } from '../texts/index.ts'
import { firstRequest, type Known, LANGUAGES, sampleFor } from './first-request.ts'

const t = texts.firstRequest
const NOTHING: Known = { spaces: [], starboards: [], credentials: [] }

/** The first request with a new token, as a program and in the playground. */
export function FirstRequestOnServer({ issued: { token, areas } }: { issued: IssuedToken }) {
  const known = useQuery(entriesQuery)
  if (known.isPending) return null
  const sample = sampleFor(areas, known.data ?? NOTHING)
  const programs = firstRequest({ origin: location.origin, token }, sample)
  return (
    <Stack gap="sm" className="inset" mt="md">
      <Text fw={500}>{t.title}</Text>
      <Tabs defaultValue="curl" keepMounted={false}>
        <Tabs.List aria-label={t.languages}>
          {LANGUAGES.map((language) => (
            <Tabs.Tab key={language} value={language}>
              {t.names[language]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {LANGUAGES.map((language) => (
          <Tabs.Panel key={language} value={language} pt="sm">
            <Stack gap="xs">
              {language === 'typescript' && (
                <Text size="sm">
                  {t.install} <Anchor href="/docs/typescript-client">{t.installLink}</Anchor>
                </Text>
              )}
              <CodeToCopy code={programs[language]} name={t.copy(t.names[language])} />
            </Stack>
          </Tabs.Panel>
        ))}
      </Tabs>
      <div>
        <Button size="xs" variant="default" onClick={() => openWithToken(token, playgroundLink(sample))}>
          {t.playground}
        </Button>
      </div>
    </Stack>
  )
}
