import { useState } from 'react'
import { type AppForm, changeApp, type OwnApp } from '../api/apps.ts'
import { SettingsForm } from '../server-api/settings-form.tsx'
import { nameOfScope } from '../consent/scope-name.ts'
import { useFaults } from '../shell/form-faults.tsx'
import { Notice } from '../shell/notice.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { serverApi as texts, shell } from '../texts/index.ts'
import { isDecided, type SignInSettings, signInOf } from './app-form.ts'
import { SignInFields } from './sign-in-fields.tsx'

const t = texts.apps

/** The sign-in settings of an app. New redirect URIs and scopes of an approved app wait for the operator. */
export function AppSignIn({ app }: { app: OwnApp }) {
  const decided = isDecided(app)
  const [form, setForm] = useState(() => signInOf(app))
  const save = useMutation({
    mutationFn: () => changeApp(app.clientId, changesOf(form, decided)),
    onSuccess: () => toast(shell.saved),
  })
  const faultOf = useFaults({ pending: save.isPending, error: save.error }, form)
  return (
    <Section title={t.tabs.signIn} lead={decided ? t.form.fixedSignIn : t.form.reviewed}>
      {app.proposedDetails?.scopes && (
        <Notice kind="warning" title={t.form.proposedScopes}>
          {t.form.proposedScopesHelp(app.scopes.map(nameOfScope).join(', '))}
        </Notice>
      )}
      {app.proposedRedirectUris && (
        <Notice kind="warning" title={t.form.proposedRedirectUris}>
          {t.form.proposedHelp}
          <ul>
            {app.redirectUris.map((uri) => (
              <li key={uri} className="mono">
                {uri}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {app.proposedBackchannelLogoutUri !== null && (
        <Notice kind="warning" title={t.form.proposedBackchannelLogoutUri}>
          {t.form.proposedLogoutHelp(app.backchannelLogoutUri)}
        </Notice>
      )}
      <SettingsForm
        form={form}
        action={shell.save}
        pending={save.isPending}
        error={save.error}
        submit={() => save.mutate()}
      >
        <SignInFields
          form={form}
          change={(changes) => setForm((before) => ({ ...before, ...changes }))}
          faultOf={faultOf}
          fixed={decided}
        />
      </SettingsForm>
    </Section>
  )
}

/** Sends only the fields that the owner can still change. */
function changesOf(form: SignInSettings, decided: boolean): Partial<AppForm> {
  const { publicClient, subjectType, ...always } = form
  return decided ? always : { ...always, publicClient, subjectType }
}
