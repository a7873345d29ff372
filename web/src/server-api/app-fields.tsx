import { Checkbox, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type AppForm, SCOPES } from '../api/apps.ts'
import { kindsQuery } from '../api/identity-kinds.ts'
import { signIn, serverApi as texts } from '../texts/index.ts'
import { faultsOf, SettingsForm, type SettingsFormState } from './settings-form.tsx'

const t = texts.apps.form

export const emptyApp: AppForm = {
  name: '',
  homepage: '',
  purpose: '',
  redirectUris: [],
  scopes: ['EVMAddress'],
  allowedOrigins: [],
  postLogoutRedirectUris: [],
  expiringTokens: true,
  s256Only: true,
  publicClient: false,
}

interface AppFieldsProps extends SettingsFormState<AppForm> {
  /** Whether the operator decided about name, website, purpose, scopes and the kind of the app. */
  fixed: boolean
}

/** The settings and permissions of an app. Each error is shown next to its field. */
export function AppFields({ fixed, ...state }: AppFieldsProps) {
  const { saved } = state
  const [form, setForm] = useState(saved)
  const [uris, setUris] = useState(saved.redirectUris.join('\n'))
  const [returns, setReturns] = useState(saved.postLogoutRedirectUris.join('\n'))
  const [origins, setOrigins] = useState(saved.allowedOrigins.join('\n'))
  const faultOf = faultsOf<AppForm>(state.error, t)
  const off = useQuery(kindsQuery).data?.off.map(({ kind }) => kind) ?? []
  // A kind that was switched off later stays, so that it can be taken away.
  const offered = SCOPES.filter((scope) => !off.includes(scope) || saved.scopes.includes(scope))
  const submit = () =>
    state.save({
      ...form,
      redirectUris: lines(uris),
      postLogoutRedirectUris: lines(returns),
      allowedOrigins: lines(origins),
    })
  const { publicClient } = form
  // An app without a server has no choice: PKCE and the expiry replace its secret.
  const setPublicClient = (on: boolean) =>
    setForm({ ...form, publicClient: on, ...(on && { s256Only: true, expiringTokens: true }) })
  return (
    <SettingsForm {...state} submit={submit}>
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
              {offered.map((scope) => (
                <Checkbox key={scope} value={scope} label={signIn.kinds[scope]} />
              ))}
            </div>
          </Checkbox.Group>
          <Switch
            label={t.publicClient}
            description={t.publicClientHelp}
            checked={publicClient}
            onChange={(event) => setPublicClient(event.currentTarget.checked)}
          />
        </>
      )}
      <Textarea
        label={t.redirectUris}
        description={publicClient ? t.publicRedirectUrisHelp : t.redirectUrisHelp}
        value={uris}
        error={faultOf('redirectUris')}
        onChange={(event) => setUris(event.currentTarget.value)}
        rows={3}
        spellCheck={false}
        required
      />
      <Textarea
        label={t.postLogoutRedirectUris}
        description={t.postLogoutRedirectUrisHelp}
        value={returns}
        error={faultOf('postLogoutRedirectUris')}
        onChange={(event) => setReturns(event.currentTarget.value)}
        rows={2}
        spellCheck={false}
      />
      {!publicClient && (
        <>
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
            description={t.s256OnlyHelp}
            checked={form.s256Only}
            onChange={(event) => setForm({ ...form, s256Only: event.currentTarget.checked })}
          />
        </>
      )}
    </SettingsForm>
  )
}

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
