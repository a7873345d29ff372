import { Checkbox, Switch, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { SCOPES } from '../api/apps.ts'
import { kindsQuery } from '../api/identity-kinds.ts'
import { nameOfScope } from '../consent/scope-name.ts'
import { serverApi as texts } from '../texts/index.ts'
import type { AppFieldsProps, SignInSettings } from './app-form.ts'
import { LinesField } from './lines-field.tsx'

const t = texts.apps.form

interface SignInFieldsProps extends AppFieldsProps<SignInSettings> {
  /** Whether the operator decided about the kind of the app. */
  fixed: boolean
}

/** The sign-in fields of an app: redirect URIs, scopes, and required parameters. */
export function SignInFields({ form, change, faultOf, fixed }: SignInFieldsProps) {
  const { publicClient } = form
  return (
    <>
      <LinesField
        label={t.redirectUris}
        description={publicClient ? t.publicRedirectUrisHelp : t.redirectUrisHelp}
        value={form.redirectUris}
        errorAt={(ofEntry) => faultOf('redirectUris', ofEntry)}
        onChange={(redirectUris) => change({ redirectUris })}
        rows={3}
        required
      />
      <Scopes form={form} change={change} faultOf={faultOf} />
      {!fixed && <Kind form={form} change={change} faultOf={faultOf} />}
      <LinesField
        label={t.postLogoutRedirectUris}
        description={t.postLogoutRedirectUrisHelp}
        value={form.postLogoutRedirectUris}
        errorAt={(ofEntry) => faultOf('postLogoutRedirectUris', ofEntry)}
        onChange={(postLogoutRedirectUris) => change({ postLogoutRedirectUris })}
      />
      {!publicClient && (
        <>
          <TextInput
            label={t.backchannelLogoutUri}
            description={t.backchannelLogoutUriHelp}
            value={form.backchannelLogoutUri ?? ''}
            error={faultOf('backchannelLogoutUri')}
            placeholder="https://"
            onChange={(event) => change({ backchannelLogoutUri: event.currentTarget.value.trim() || null })}
            spellCheck={false}
          />
          <LinesField
            label={t.allowedOrigins}
            description={t.allowedOriginsHelp}
            value={form.allowedOrigins}
            errorAt={(ofEntry) => faultOf('allowedOrigins', ofEntry)}
            onChange={(allowedOrigins) => change({ allowedOrigins })}
          />
          <Switch
            label={t.expiringTokens}
            checked={form.expiringTokens}
            error={faultOf('expiringTokens')}
            onChange={(event) => change({ expiringTokens: event.currentTarget.checked })}
          />
          <Switch
            label={t.s256Only}
            description={t.s256OnlyHelp}
            checked={form.s256Only}
            error={faultOf('s256Only')}
            onChange={(event) => change({ s256Only: event.currentTarget.checked })}
          />
        </>
      )}
    </>
  )
}

function Scopes({ form, change, faultOf }: AppFieldsProps<SignInSettings>) {
  const off = useQuery(kindsQuery).data?.off.map(({ kind }) => kind) ?? []
  // A kind that was switched off later stays, so that it can be taken away.
  const offered = SCOPES.filter((scope) => !off.includes(scope) || form.scopes.includes(scope))
  const identifiesAnyway = form.subjectType === 'pairwise' && form.scopes.some((scope) => scope !== 'openid')
  return (
    <Checkbox.Group
      label={t.scopes}
      description={identifiesAnyway && t.pairwiseScopes}
      descriptionProps={{ mt: 6 }}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      value={form.scopes}
      error={faultOf('scopes', (_, message) => message)}
      onChange={(scopes) => change({ scopes })}
    >
      <div className="scope-choices">
        {offered.map((scope) => (
          <Checkbox key={scope} value={scope} label={nameOfScope(scope)} />
        ))}
      </div>
    </Checkbox.Group>
  )
}

function Kind({ form, change, faultOf }: AppFieldsProps<SignInSettings>) {
  // An app without a server has no choice: PKCE and the expiry replace its secret.
  const setPublicClient = (on: boolean) =>
    change({ publicClient: on, ...(on && { s256Only: true, expiringTokens: true, backchannelLogoutUri: null }) })
  return (
    <>
      <Switch
        label={t.publicClient}
        description={t.publicClientHelp}
        checked={form.publicClient}
        error={faultOf('publicClient')}
        onChange={(event) => setPublicClient(event.currentTarget.checked)}
      />
      <Switch
        label={t.pairwise}
        description={t.pairwiseHelp}
        checked={form.subjectType === 'pairwise'}
        error={faultOf('subjectType')}
        onChange={(event) => change({ subjectType: event.currentTarget.checked ? 'pairwise' : 'public' })}
      />
    </>
  )
}
