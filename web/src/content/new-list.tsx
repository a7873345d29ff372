import { Button, Stack } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { changeHolders, checkHolders, type ListChange } from '../api/holders.ts'
import { Fault } from '../shell/fault.tsx'
import { Section } from '../shell/section.tsx'
import { useUnsaved } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { content, holders as t } from '../texts/index.ts'
import { faultOfText, ListResult } from './list-form.tsx'
import { emptyList, isTooLarge, ListText } from './list-text.tsx'
import type { Fill } from './new-credential.tsx'

interface NewListProps {
  create: (fill: Fill) => Promise<void>
}

/** The first holders of a new credential. The list may also be empty. */
export function NewList({ create }: NewListProps) {
  const [draft, setDraft] = useState(emptyList)
  const [refused, setRefused] = useState<ListChange>()
  useUnsaved(draft.text !== '')
  const fill: Fill = async (id) => {
    if (draft.text.trim() === '') return true
    const checked = await checkHolders(id, 'add', draft.text)
    if (checked.refused > 0) {
      setRefused(checked)
      return false
    }
    await changeHolders(id, 'add', draft.text)
    return true
  }
  const store = useMutation({ mutationFn: () => create(fill) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setRefused(undefined)
    if (!isTooLarge(draft)) store.mutate()
  }
  const fault = faultOfText(store.error)
  return (
    <Section title={t.give} lead={t.giveNew}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm" align="flex-start">
          <ListText
            draft={draft}
            error={fault}
            onChange={(changed) => {
              setRefused(undefined)
              store.reset()
              setDraft(changed)
            }}
          />
          {fault === undefined && <Fault error={store.error} />}
          {refused && <ListResult found={refused} text={draft.text} />}
          <Button type="submit" loading={store.isPending}>
            {content.create}
          </Button>
        </Stack>
      </form>
    </Section>
  )
}
