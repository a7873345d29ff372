import { Checkbox, Group, NumberInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { WebhookForm } from '../api/webhooks.ts'
import { hooks as texts } from '../texts/index.ts'
import { readIds, readNumbers, showIds } from './ids.ts'
import { faultsOf, SettingsForm, type SettingsFormState } from './settings-form.tsx'

const t = texts.webhooks

const labels = {
  ...t,
  spaceIds: texts.ids.spaces,
  starboardIds: texts.ids.starboards,
  credentialIds: texts.ids.credentials,
}

export const emptyWebhook: WebhookForm = {
  url: '',
  description: '',
  events: ['points.awarded'],
  spaceIds: [],
  starboardIds: [],
  credentialIds: [],
  minPoints: 1,
  top: 10,
  enabled: true,
}

interface WebhookFieldsProps extends SettingsFormState<WebhookForm> {
  /** Each with a line for people. */
  eventTypes: Record<string, string>
}

/** The address and the event types of a webhook. Each error is shown next to its field. */
export function WebhookFields({ eventTypes, ...state }: WebhookFieldsProps) {
  const { saved } = state
  const [form, setForm] = useState(saved)
  const [ids, setIds] = useState({
    spaceIds: showIds(saved.spaceIds),
    starboardIds: showIds(saved.starboardIds),
    credentialIds: showIds(saved.credentialIds),
  })
  const faultOf = faultsOf<WebhookForm>(state.error, labels)
  const submit = () =>
    state.save({
      ...form,
      spaceIds: readNumbers(ids.spaceIds),
      starboardIds: readIds(ids.starboardIds),
      credentialIds: readIds(ids.credentialIds),
    })
  const idField = (field: keyof typeof ids, label: string, help: string) => (
    <TextInput
      label={label}
      description={help}
      value={ids[field]}
      error={faultOf(field)}
      onChange={(event) => setIds({ ...ids, [field]: event.currentTarget.value })}
      autoComplete="off"
    />
  )
  return (
    <SettingsForm {...state} submit={submit}>
      <TextInput
        label={t.url}
        type="url"
        placeholder="https://"
        value={form.url}
        error={faultOf('url')}
        onChange={(event) => setForm({ ...form, url: event.currentTarget.value })}
        required
      />
      <TextInput
        label={t.description}
        value={form.description}
        error={faultOf('description')}
        onChange={(event) => setForm({ ...form, description: event.currentTarget.value })}
      />
      <Checkbox.Group
        label={t.events}
        value={form.events}
        error={faultOf('events')}
        onChange={(events) => setForm({ ...form, events })}
      >
        <Stack gap="xs" mt={4}>
          {Object.entries(eventTypes).map(([type, line]) => (
            <Checkbox key={type} value={type} label={type} description={t.eventTypes[type] ?? line} />
          ))}
        </Stack>
      </Checkbox.Group>
      {idField('spaceIds', texts.ids.spaces, texts.ids.spacesHelp)}
      {idField('starboardIds', texts.ids.starboards, texts.ids.starboardsHelp)}
      {idField('credentialIds', texts.ids.credentials, texts.ids.credentialsHelp)}
      <Group grow align="flex-start">
        <NumberInput
          label={t.minPoints}
          value={form.minPoints}
          min={1}
          error={faultOf('minPoints')}
          onChange={(value) => setForm({ ...form, minPoints: Number(value) })}
        />
        <NumberInput
          label={t.top}
          value={form.top}
          min={1}
          max={1000}
          error={faultOf('top')}
          onChange={(value) => setForm({ ...form, top: Number(value) })}
        />
      </Group>
    </SettingsForm>
  )
}
