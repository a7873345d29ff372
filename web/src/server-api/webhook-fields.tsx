import { Anchor, Checkbox, Group, NumberInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { WebhookForm } from '../api/webhooks.ts'
import { hooks as texts, shell } from '../texts/index.ts'
import { Picker } from '../pickers/picker.tsx'
import { credentials, type Source, spaces, starboards } from '../pickers/source.ts'
import { useFaults } from '../shell/form-faults.tsx'
import { SettingsForm, type SettingsFormState } from './settings-form.tsx'

const t = texts.webhooks

export const emptyWebhook: WebhookForm = {
  url: '',
  description: '',
  events: ['points.awarded'],
  spaceIds: [],
  starboardIds: [],
  credentialIds: [],
  minPoints: 1,
  top: 10,
}

interface WebhookFieldsProps extends SettingsFormState<WebhookForm> {
  /** The event types with their descriptions. */
  eventTypes: Record<string, string>
}

/** The address and the event types of a webhook. Each error is shown next to its field. */
export function WebhookFields({ eventTypes, ...state }: WebhookFieldsProps) {
  const { saved } = state
  const [form, setForm] = useState(saved)
  const faultOf = useFaults(state, form)
  const picker = (field: 'starboardIds' | 'credentialIds', source: Source, label: string, help: string) => (
    <Picker
      source={source}
      label={label}
      description={help}
      value={form[field]}
      error={faultOf(field, shell.entry)}
      onChange={(ids) => setForm({ ...form, [field]: ids })}
    />
  )
  return (
    <SettingsForm {...state} form={form} submit={() => state.save(form)}>
      <TextInput
        label={t.url}
        description={
          <>
            {t.urlHelp}{' '}
            <Anchor href="/docs/webhooks#create-a-webhook" inherit underline="always">
              QUESTBOARD_WEBHOOK_HOSTS
            </Anchor>
            .
          </>
        }
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
        description={t.eventsHelp}
        value={form.events}
        error={faultOf('events', (_, message) => message)}
        onChange={(events) => setForm({ ...form, events })}
      >
        <Stack gap="xs" mt={4}>
          {Object.entries(eventTypes).map(([type, line]) => (
            <Checkbox key={type} value={type} label={type} description={t.eventTypes[type] ?? line} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Picker
        source={spaces}
        label={texts.ids.spaces}
        description={texts.ids.spacesHelp}
        value={form.spaceIds.map(String)}
        error={faultOf('spaceIds', shell.entry)}
        onChange={(ids) => setForm({ ...form, spaceIds: ids.map(Number) })}
      />
      {picker('starboardIds', starboards, texts.ids.starboards, texts.ids.starboardsHelp)}
      {picker('credentialIds', credentials, texts.ids.credentials, texts.ids.credentialsHelp)}
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
