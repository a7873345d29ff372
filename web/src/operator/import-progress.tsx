import { Progress as Bar, Text } from '@mantine/core'
import { type FileImport, isWorking, type Progress } from '../api/imports.ts'
import { Notice } from '../shell/notice.tsx'
import { Section } from '../shell/section.tsx'
import { imports as t } from '../texts/index.ts'

/** How far an import is, while the service works on it. */
export function ImportProgress({ one }: { one: FileImport }) {
  const { state, kind, lines } = one
  if (state === 'stored') return <Notice kind="good" title={t.stored(t.kinds[kind ?? ''] ?? t.unknown, lines ?? 0)} />
  if (!isWorking(one)) return null
  const { text, share } = describe(one.progress)
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

function describe(progress: Progress | null): { text: string; share: number } {
  if (progress === null) return { text: t.waiting, share: 1 }
  const { phase, read, stored = 0, of } = progress
  if (of && stored > 0) {
    const says = of.atMost ? t.storingAtMost : t.storing
    return { text: says(stored, of.total, t.steps[of.what] ?? of.what), share: stored / of.total }
  }
  if (phase === 'publishing') return { text: t.publishing, share: 1 }
  return { text: phase === 'reading' ? t.reading(read) : t.writing(read), share: 1 }
}
