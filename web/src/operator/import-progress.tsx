import { Progress as Bar, Text } from '@mantine/core'
import { type FileImport, isWorking } from '../api/imports.ts'
import { Notice } from '../shell/notice.tsx'
import { Section } from '../shell/section.tsx'
import { imports as t } from '../texts/operator-pages.ts'

export function ImportProgress({ one }: { one: FileImport }) {
  const { state, kind, lines } = one
  if (state === 'stored') return <Notice kind="good" title={t.stored(t.kinds[kind ?? ''] ?? t.unknown, lines ?? 0)} />
  if (!isWorking(one)) return null
  const { text, share } = describe(one)
  return (
    <Section title={t.states[state]} lead={t.working}>
      <Text size="sm" role="status">
        {text}
      </Text>
      <Bar.Root size="sm">
        <Bar.Section value={100 * share} animated aria-label={t.progress} />
      </Bar.Root>
    </Section>
  )
}

function describe({ state, progress }: FileImport): { text: string; share: number } {
  if (progress === null) return { text: t.waiting, share: 1 }
  const { phase, read, stored = 0, of } = progress
  if (phase === 'publishing') return { text: t.publishing, share: 1 }
  const says = state === 'storing' ? t.storing : t.checking
  if (of?.what === 'entries') return { text: says.ledger, share: 1 }
  if (of && stored > 0) {
    const step = t.steps[of.what] ?? of.what
    return { text: (of.atMost ? says.stepAtMost : says.step)(stored, of.total, step), share: stored / of.total }
  }
  return { text: phase === 'reading' ? says.reading(read) : says.writing(read), share: 1 }
}
