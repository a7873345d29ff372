import { Button, Checkbox, Group, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type AppForm, SCOPES } from '../api/apps.ts'
import { ApiFailure } from '../api/call.ts'
import { Fault } from '../shell/fault.tsx'
import { texts as shell } from '../texts/shell.ts'
import { texts as signIn } from '../texts/sign-in.ts'
import { texts } from '../texts/server-api.ts'

const t = texts.apps.form

export const emptyApp: AppForm = {
  name: '',
  homepage: '',
  purpose: '',
  redirectUris: [],
  scopes: ['EVMAddress'],
  allowedOrigins: [],
  expiringTokens: true,
  s256Only: true,
}

interface AppFieldsProps {
  saved: AppForm
  /** Whether the operator decided about name, website, purpose and scopes. */
  fixed: boolean
  action: string
  pending: boolean
  error: Error | null
  save: (form: AppForm) => void
  cancel?: () => void
}

/** What an app is and may do; a refusal stands beside the field that it is about. */
export function AppFields({ saved, fixed, action, pending, error, save, cancel }: AppFieldsProps) {
  const [form, setForm] = useState(saved)
  const [uris, setUris] = useState(saved.redirectUris.join('\n'))
  const [origins, setOrigins] = useState(saved.allowedOrigins.join('\n'))
  const at = error instanceof ApiFailure ? error.field?.split('.')[0] : undefined
  const faultOf = (field: keyof AppForm) => (at === field ? error?.message : undefined)
  const elsewhere = error && !Object.keys(saved).includes(at ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save({ ...form, redirectUris: lines(uris), allowedOrigins: lines(origins) })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" maw="34rem">
        {fixed ? (
          <Text size="sm" c="dimmed">
            {t.fixed}
          </Text>
        ) : (
          <>
            <TextInput
              label={t.name}
              description={t.nameHelp}
              value={form.name}
              error={faultOf('name')}
              onChange={(event) => setForm({ ...form, name: event.currentTarget.value })}
              maxLength={80}
              required
            />
            <TextInput
              label={t.homepage}
              type="url"
              value={form.homepage}
              error={faultOf('homepage')}
              placeholder="https://"
              onChange={(event) => setForm({ ...form, homepage: event.currentTarget.value })}
            />
            <Textarea
              label={t.purpose}
              description={t.purposeHelp}
              value={form.purpose}
              error={faultOf('purpose')}
              onChange={(event) => setForm({ ...form, purpose: event.currentTarget.value })}
              rows={3}
              required
            />
            <Checkbox.Group
              label={t.scopes}
              value={form.scopes}
              error={faultOf('scopes')}
              onChange={(scopes) => setForm({ ...form, scopes })}
            >
              <div className="scope-choices">
                {SCOPES.map((scope) => (
                  <Checkbox key={scope} value={scope} label={signIn.kinds[scope]} />
                ))}
              </div>
            </Checkbox.Group>
          </>
        )}
        <Textarea
          label={t.redirectUris}
          description={t.redirectUrisHelp}
          value={uris}
          error={faultOf('redirectUris')}
          onChange={(event) => setUris(event.currentTarget.value)}
          rows={3}
          spellCheck={false}
          required
        />
        <Textarea
          label={t.allowedOrigins}
          description={t.allowedOriginsHelp}
          value={origins}
          error={faultOf('allowedOrigins')}
          onChange={(event) => setOrigins(event.currentTarget.value)}
          rows={2}
          spellCheck={false}
        />
        <Switch
          label={t.expiringTokens}
          checked={form.expiringTokens}
          onChange={(event) => setForm({ ...form, expiringTokens: event.currentTarget.checked })}
        />
        <Switch
          label={t.s256Only}
          checked={form.s256Only}
          onChange={(event) => setForm({ ...form, s256Only: event.currentTarget.checked })}
        />
        {elsewhere && <Fault error={error} />}
        <Group>
          <Button type="submit" loading={pending}>
            {action}
          </Button>
          {cancel && (
            <Button variant="default" onClick={cancel}>
              {shell.cancel}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
