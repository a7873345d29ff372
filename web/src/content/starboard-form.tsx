import { Button, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { STARBOARD_TYPES, type StarboardForm as Form } from '../api/starboards.ts'
import { Section } from '../shell/section.tsx'
import { TimeField } from '../shell/time-field.tsx'
import { useUnsavedInput } from '../shell/unsaved.ts'
import { content as texts, explore } from '../texts/index.ts'
import { FormFault, useFaults } from '../shell/form-faults.tsx'
import type { FormState } from './space-form.tsx'
import './content.css'

const t = texts.starboard
const FIELDS = ['id', 'name', 'projectName', 'description', 'tags', 'type']
const REWARD_FIELDS = ['rewardName', 'rewardDescription', 'rewardStartTime', 'rewardEndTime']

interface StarboardFormProps extends Omit<FormState<Form>, 'save'> {
  isNew: boolean
  save: (form: Form, id: string) => void
  children?: ReactNode
}

/** The fields of a starboard. Its users and scores come from imports. */
export function StarboardForm({ isNew, saved, action, pending, error, save, reload, children }: StarboardFormProps) {
  const [form, setForm] = useState<Form>(saved)
  const [id, setId] = useState('')
  const [tags, setTags] = useState(saved.tags.join(', '))
  useUnsavedInput({ form, id, tags }, { pending, error })
  const change = (part: Partial<Form>) => setForm({ ...form, ...part })
  const faultAt = useFaults({ pending, error }, { ...form, id, tags })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save({ ...form, tags: tagsIn(tags) }, id.trim())
  }
  return (
    <form onSubmit={submit} noValidate>
      <Section title={texts.starboard.one}>
        <Stack gap="sm">
          <div className="content-fields">
            <TextInput
              className="content-wide"
              label={t.name}
              value={form.name}
              error={faultAt('name')}
              onChange={(event) => change({ name: event.currentTarget.value })}
              autoComplete="off"
              required
            />
            <Textarea
              className="content-wide"
              label={t.description}
              value={form.description}
              error={faultAt('description')}
              onChange={(event) => change({ description: event.currentTarget.value })}
              autosize
              minRows={2}
              maxRows={12}
            />
            <TextInput
              label={t.projectName}
              value={form.projectName}
              error={faultAt('projectName')}
              onChange={(event) => change({ projectName: event.currentTarget.value })}
              autoComplete="off"
            />
            <NativeSelect
              label={explore.starboard.type}
              value={form.type}
              error={faultAt('type')}
              onChange={(event) => change({ type: event.currentTarget.value })}
              data={STARBOARD_TYPES.map((value) => ({ value, label: explore.starboard.types[value] ?? value }))}
            />
            <TextInput
              className="content-wide"
              label={t.tags}
              description={t.tagsHelp}
              value={tags}
              error={faultAt('tags')}
              onChange={(event) => setTags(event.currentTarget.value)}
              autoComplete="off"
            />
            {isNew && (
              <TextInput
                className="content-wide"
                label={t.id}
                description={t.idHelp}
                value={id}
                error={faultAt('id')}
                onChange={(event) => setId(event.currentTarget.value)}
                autoComplete="off"
                spellCheck={false}
              />
            )}
            <RewardFields form={form} change={change} faultAt={faultAt} />
          </div>
          <FormFault error={error} shown={[...FIELDS, ...REWARD_FIELDS]} {...(reload && { reload })} />
          <Group>
            <Button type="submit" loading={pending} disabled={form.name.trim() === ''}>
              {action}
            </Button>
            {children}
          </Group>
        </Stack>
      </Section>
    </form>
  )
}

interface RewardFieldsProps {
  form: Form
  change: (part: Partial<Form>) => void
  faultAt: (path: string) => string | undefined
}

function RewardFields({ form, change, faultAt }: RewardFieldsProps) {
  return (
    <>
      <TextInput
        className="content-wide"
        label={t.rewardName}
        description={t.rewardNameHelp}
        value={form.rewardName ?? ''}
        error={faultAt('rewardName')}
        onChange={(event) => change({ rewardName: event.currentTarget.value || null })}
        autoComplete="off"
      />
      <Textarea
        className="content-wide"
        label={t.rewardDescription}
        value={form.rewardDescription ?? ''}
        error={faultAt('rewardDescription')}
        onChange={(event) => change({ rewardDescription: event.currentTarget.value || null })}
        autosize
        minRows={2}
        maxRows={12}
      />
      <TimeField
        label={t.rewardStartTime}
        value={form.rewardStartTime}
        error={faultAt('rewardStartTime')}
        onChange={(rewardStartTime) => change({ rewardStartTime })}
      />
      <TimeField
        label={t.rewardEndTime}
        value={form.rewardEndTime}
        error={faultAt('rewardEndTime')}
        onChange={(rewardEndTime) => change({ rewardEndTime })}
      />
    </>
  )
}

const tagsIn = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
