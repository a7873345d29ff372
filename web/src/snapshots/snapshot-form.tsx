import { Button, Group, Stack, Switch, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { SnapshotPreview, Snapshots } from '../api/snapshots.ts'
import { Fault } from '../shell/fault.tsx'
import { Section } from '../shell/section.tsx'
import { TimeField } from '../shell/time-field.tsx'
import { toast } from '../shell/toasts.tsx'
import { useUnsavedInput } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { snapshots as t } from '../texts/index.ts'
import { PreviewFacts, PreviewMembers } from './preview.tsx'
import { anyList, AnyListFields, type ChosenList, SpaceListFields } from './list-fields.tsx'

const { space, credential, quest } = t.objects
const labels = { spaceId: space, credentialId: credential, questId: quest, sprintId: t.sprint, at: t.at, note: t.note }

/** Previews a list first. The snapshot of a board or quest contains exactly the list of the preview. */
export function SnapshotForm({ of }: { of: Snapshots }) {
  const [list, setList] = useState<ChosenList>(of.spaceId === null ? anyList : { kind: 'space', ids: {} })
  const [at, setAt] = useState<string | null>(null)
  const [isPublic, setPublic] = useState(false)
  const [note, setNote] = useState('')
  const preview = useMutation({ mutationFn: of.preview })
  const create = useMutation({
    mutationFn: of.create,
    onSuccess({ name }) {
      preview.reset()
      toast(t.created(name))
    },
  })
  useUnsavedInput({ list, at, isPublic, note }, { pending: create.isPending, error: create.error })
  /** A change of the form ends the preview, which is of another list. */
  const changed = <Value,>(set: (value: Value) => void) => {
    return (value: Value) => {
      set(value)
      preview.reset()
      create.reset()
    }
  }
  const showPreview = (event: FormEvent) => {
    event.preventDefault()
    create.reset()
    if (list.ids) preview.mutate({ ...list.ids, ...(at !== null && { at }) })
  }
  const createOf = ({ asOf }: SnapshotPreview) =>
    create.mutate({ ...list.ids, ...(list.kind !== 'credential' && { at: asOf }), public: isPublic, note })
  return (
    <Section title={t.add} lead={t.addLead}>
      <form onSubmit={showPreview}>
        <Stack gap="sm" maw="34rem">
          {of.spaceId === null ? (
            <AnyListFields choose={changed(setList)} />
          ) : (
            <SpaceListFields spaceId={of.spaceId} choose={changed(setList)} />
          )}
          {list.kind !== 'credential' && (
            <TimeField label={t.at} description={t.atHelp} value={at} error={undefined} onChange={changed(setAt)} />
          )}
          <Switch
            label={t.public}
            description={t.publicHelp}
            checked={isPublic}
            onChange={(event) => setPublic(event.currentTarget.checked)}
          />
          <TextInput
            label={t.note}
            description={t.noteHelp}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
            maxLength={200}
            autoComplete="off"
          />
          <Fault error={preview.error ?? create.error} labels={labels} />
          {preview.data && <PreviewFacts preview={preview.data} chosen={at} />}
          <Group>
            <Button
              type="submit"
              variant={preview.data ? 'default' : 'filled'}
              loading={preview.isPending}
              disabled={!list.ids}
            >
              {t.preview}
            </Button>
            {preview.data && (
              <Button loading={create.isPending} onClick={() => createOf(preview.data)}>
                {t.create}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      {preview.data && <PreviewMembers preview={preview.data} />}
    </Section>
  )
}
