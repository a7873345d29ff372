import { Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { type FileImport, undoImport } from '../api/imports.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { number } from '../shell/numbers.ts'
import { Section } from '../shell/section.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { imports as t, people } from '../texts/operator-pages.ts'

/** Undoes a stored import of points as a whole, or shows the result. */
export function ImportUndo({ one }: { one: FileImport }) {
  const { id, kind, spaces, state, undo } = one
  const start = useMutation({ mutationFn: () => undoImport(id) })
  if (state !== 'stored' || spaces === null || spaces.length === 0) return null
  if (undo === null)
    return (
      <Section title={t.undo.title} lead={t.undo.lead}>
        <Stack gap="sm" align="flex-start">
          <ConfirmButton
            size="sm"
            label={t.undo.button}
            question={kind === 'awards' ? t.undo.questionAwards : t.undo.question}
            pending={start.isPending}
            onConfirm={() => start.mutate()}
          />
          <Fault error={start.error} />
        </Stack>
      </Section>
    )
  const { by, endedAt, reversed, before, refused } = undo
  return (
    <Section title={endedAt === null ? t.undo.title : t.undo.undone}>
      <Text role="status" size="sm">
        {endedAt === null ? t.undo.running : t.undo.done(by.username ?? t.deletedAccount, atTime(endedAt))}
      </Text>
      <dl className="values facts">
        {Object.entries({ reversed, before, refused }).map(([name, count]) => (
          <div key={name}>
            <dt>{t.undo.counts[name as keyof typeof t.undo.counts]}</dt>
            <dd>{number(count)}</dd>
          </div>
        ))}
      </dl>
      {endedAt !== null && (
        <Text size="sm">
          {t.undo.remaining}{' '}
          <Link href="/operator/people/address" className="text-link">
            {people.addressData.title}
          </Link>
        </Text>
      )}
    </Section>
  )
}
