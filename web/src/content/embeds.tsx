import { Button, CopyButton, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { sprintsQuery } from '../api/content.ts'
import type { PublicPage } from '../api/explore.ts'
import { COPIED_FOR } from '../shell/copied-for.ts'
import { Section } from '../shell/section.tsx'
import { embedTitles } from '../texts/embed-titles.ts'
import { explore, language, shell } from '../texts/index.ts'
import { type Language, LANGUAGES } from '../texts/language.ts'
import { EmbedSites } from './embed-sites.tsx'

const texts = explore.embeds

const kinds = ['frame', 'script', 'badge'] as const
type Kind = (typeof kinds)[number]
const themes = ['auto', 'light', 'dark'] as const
type Theme = (typeof themes)[number]
const LANGUAGE_OF_VISITOR = ''
const languages = [
  { value: LANGUAGE_OF_VISITOR, label: texts.ofVisitor },
  ...Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })),
]
const ALL_TIME = ''
const ROWS = ['3', '5', '10', '20', '50']
/** In pixels, as in embed.js and embed.css. */
const HEADER_AND_FOOTER_HEIGHT = 88
const ROW_HEIGHT = 40

/** The code with which other sites embed the board of a published space, and a preview. */
export function Embeds({ spaceId, page }: { spaceId: number; page: PublicPage }) {
  const { slug, url } = page
  if (slug === null || url === null) return null
  return (
    <Section title={texts.title} lead={texts.lead}>
      <details className="embeds">
        <summary>{texts.show}</summary>
        <EmbedCode spaceId={spaceId} slug={slug} url={url} />
      </details>
      <EmbedSites spaceId={String(spaceId)} origins={page.embedOrigins} />
    </Section>
  )
}

interface EmbedCodeProps {
  spaceId: number
  slug: string
  url: string
}

function EmbedCode({ spaceId, slug, url }: EmbedCodeProps) {
  const { origin } = new URL(url)
  const { sprints = [] } = useQuery({ ...sprintsQuery(spaceId), refetchOnMount: false }).data ?? {}
  const [kind, setKind] = useState<Kind>('frame')
  const [theme, setTheme] = useState<Theme>('auto')
  const [rows, setRows] = useState('5')
  const [lang, setLang] = useState<Language | typeof LANGUAGE_OF_VISITOR>(LANGUAGE_OF_VISITOR)
  const [sprint, setSprint] = useState(ALL_TIME)
  const [address, setAddress] = useState('')
  const height = HEADER_AND_FOOTER_HEIGHT + ROW_HEIGHT * Number(rows)
  const choices = { ...(sprint !== ALL_TIME && { sprint }), ...(lang !== LANGUAGE_OF_VISITOR && { lang }) }
  const path = `/embed/${slug}?${new URLSearchParams({ rows, theme, ...choices })}`
  const badgeQuery = String(new URLSearchParams(choices))
  const badgePath = `/embed/${slug}/${encodeURIComponent(address.trim())}.svg${badgeQuery && `?${badgeQuery}`}`
  // The code contains a fixed title, so for the visitor's language it has the language of this page.
  const titles = embedTitles[lang === LANGUAGE_OF_VISITOR ? language : lang]
  const code = {
    frame: `<iframe src="${origin}${path}" title="${titles.frame}" width="100%" height="${height}" loading="lazy" style="border:0"></iframe>`,
    script: `<div data-questboard="${slug}" data-rows="${rows}" data-theme="${theme}"${sprint && ` data-sprint="${sprint}"`}${lang && ` data-lang="${lang}"`}></div>\n<script src="${origin}/embed.js"></script>`,
    badge: `<a href="${url}"><img src="${origin}${badgePath}" alt="${titles.badge}" height="24"></a>`,
  }[kind]
  const isComplete = kind !== 'badge' || address.trim() !== ''
  return (
    <Stack gap="sm">
      <Group gap="sm" align="end">
        <NativeSelect
          label={texts.kind}
          data={kinds.map((value) => ({ value, label: texts.kinds[value] }))}
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value as Kind)}
        />
        {kind === 'badge' ? (
          <TextInput
            label={texts.address}
            value={address}
            spellCheck={false}
            onChange={(event) => setAddress(event.currentTarget.value)}
          />
        ) : (
          <>
            <NativeSelect
              label={texts.theme}
              data={themes.map((value) => ({ value, label: texts.themes[value] }))}
              value={theme}
              onChange={(event) => setTheme(event.currentTarget.value as Theme)}
            />
            <NativeSelect
              label={texts.rows}
              data={ROWS}
              value={rows}
              onChange={(event) => setRows(event.currentTarget.value)}
            />
          </>
        )}
        {sprints.length > 0 && (
          <NativeSelect
            label={explore.space.sprint}
            data={[
              { value: ALL_TIME, label: explore.space.overall },
              ...sprints.map(({ sprintId, name }) => ({
                value: String(sprintId),
                label: explore.space.sprintName(sprintId, name),
              })),
            ]}
            value={sprint}
            onChange={(event) => setSprint(event.currentTarget.value)}
          />
        )}
        <NativeSelect
          label={shell.language}
          data={languages}
          value={lang}
          onChange={(event) => setLang(event.currentTarget.value as typeof lang)}
        />
      </Group>
      {isComplete ? (
        <>
          <pre className="code" tabIndex={0}>
            {code}
          </pre>
          <Group>
            <CopyButton value={code} timeout={COPIED_FOR}>
              {({ copied, copy }) => (
                <Button size="xs" variant="default" onClick={copy} aria-live="polite">
                  {copied ? shell.copied : shell.copy}
                </Button>
              )}
            </CopyButton>
          </Group>
          <Stack gap={4}>
            <Text size="sm" c="dimmed">
              {texts.preview}
            </Text>
            {kind === 'badge' ? (
              <img className="badge" src={badgePath} alt={titles.badge} height={24} />
            ) : (
              <iframe className="embed" loading="lazy" src={path} title={titles.frame} height={height} />
            )}
          </Stack>
        </>
      ) : (
        <Text size="sm">{texts.enterAddress}</Text>
      )}
    </Stack>
  )
}
