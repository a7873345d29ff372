import { Button, Group, List, Text } from '@mantine/core'
import { useState } from 'react'
import { ApiFailure } from '../api/call.ts'
import { publishRules, type Rule, type RuleSet, rulesQuery } from '../api/rules.ts'
import { queryClient } from '../api/session.ts'
import { FormFault } from '../shell/form-faults.tsx'
import { Notice } from '../shell/notice.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { rules as t } from '../texts/index.ts'
import { Dialog } from './dialog.tsx'
import { changesOf, isReordered } from './drafts.ts'

interface UnpublishedProps {
  spaceId: number
  /** The version that the edited rules are based on; 0: none. */
  base: number
  before: readonly Rule[]
  after: readonly Rule[]
  onRefused: (error: Error) => void
  onPublished: (set: RuleSet) => void
  discard: () => void
}

/** Lists unpublished edits, with buttons to publish or discard them. */
export function Unpublished({ spaceId, base, before, after, onRefused, onPublished, discard }: UnpublishedProps) {
  const [asking, setAsking] = useState(false)
  /** The editor leads to the refused field. */
  const [refused, setRefused] = useState(false)
  const publish = useMutation({
    mutationFn: () => publishRules(spaceId, base, after),
    onSuccess: (set) => {
      setAsking(false)
      toast(t.published(set.version))
      onPublished(set)
    },
    onError: (error) => {
      onRefused(error)
      if (!isAboutFields(error)) return
      setRefused(true)
      setAsking(false)
    },
  })
  const reload = async () => {
    await queryClient.invalidateQueries({ queryKey: rulesQuery(spaceId).queryKey })
    discard()
  }
  const changes = changesOf(before, after)
  const texts = changes.map(({ id, what }) => t[what](id))
  if (isReordered(before, after)) texts.push(t.reordered)
  return (
    <Notice kind="warning" title={t.unpublished(texts.length)}>
      <Group gap="xs" mt="xs">
        <Button
          size="xs"
          onClick={() => {
            publish.reset()
            setRefused(false)
            setAsking(true)
          }}
        >
          {t.publish}
        </Button>
        <Button size="xs" variant="default" onClick={discard}>
          {t.discard}
        </Button>
      </Group>
      <Dialog
        opened={asking}
        close={() => setAsking(false)}
        title={t.publishTitle(base + 1)}
        action={t.publish}
        pending={publish.isPending}
        returnFocus={!refused}
        onConfirm={() => publish.mutate()}
      >
        <List size="sm">
          {texts.map((text) => (
            <List.Item key={text}>{text}</List.Item>
          ))}
        </List>
        <Text size="sm">{t.publishText}</Text>
        <FormFault error={publish.error} shown={[]} reload={() => void reload()} />
      </Dialog>
    </Notice>
  )
}

export const isAboutFields = (error: Error | null): boolean =>
  error instanceof ApiFailure && error.problems.some(({ field }) => field.startsWith('rules.'))
