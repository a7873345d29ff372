import { Group, Text } from '@mantine/core'
import { changeQuest, type EditedQuest, type QuestChanges } from '../api/content.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { content as texts } from '../texts/index.ts'
import type { Edited } from './use-edited.ts'

const t = texts.quest.publication
const MINUTE = 60_000

interface PublicationProps {
  quest: EditedQuest
  edited: Edited<EditedQuest>
  /** Whether the form has unsaved changes, which an action would discard. */
  changed: boolean
}

/** Ends, hides and shows a published quest. */
export function Publication({ quest, edited, changed }: PublicationProps) {
  const { id, status, isPrivate } = quest
  const change = useMutation({
    mutationFn: (fields: QuestChanges) => changeQuest(id, { ...fields, version: edited.version }),
    onSuccess: (saved) => {
      edited.start(saved)
      toast(texts.saved)
    },
  })
  // Only its team sees a deleted quest, private or not.
  if (status === 'Deleted') return undefined
  const isOpen = status === 'Active' || status === 'CapReached'
  const action = { size: 'sm', disabled: changed, pending: change.isPending } as const
  return (
    <Section title={t.title}>
      <Text size="sm">{isPrivate ? t.isPrivate : t.isPublic}</Text>
      {status === 'Expired' && <Text size="sm">{ending(quest)}</Text>}
      <Group gap="xs">
        {isOpen && (
          <ConfirmButton
            {...action}
            label={t.end}
            question={t.endQuestion}
            // The service ends only quests whose status it moves.
            onConfirm={() => change.mutate({ endTime: startOfMinute(), autoStatus: true })}
          />
        )}
        {isPrivate ? (
          <ConfirmButton
            {...action}
            primary
            label={t.show}
            question={t.showQuestion}
            onConfirm={() => change.mutate({ isPrivate: false })}
          />
        ) : (
          <ConfirmButton
            {...action}
            neutral
            label={t.hide}
            question={t.hideQuestion}
            onConfirm={() => change.mutate({ isPrivate: true })}
          />
        )}
      </Group>
      {changed && <Text size="sm">{t.saveFirst}</Text>}
      <Fault error={change.error} />
    </Section>
  )
}

function ending({ autoStatus, endTime }: EditedQuest) {
  if (!autoStatus) return t.fixed
  return endTime === null ? t.reopen : t.ended(atTime(endTime))
}

/** The form shows minutes. The past minute has ended on the clock of the service, too. */
const startOfMinute = () => new Date(Math.floor(Date.now() / MINUTE) * MINUTE).toISOString()
