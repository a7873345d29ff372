import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type AppForm, changeApp, type OwnApp, removeApp } from '../api/apps.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { Fault } from '../shell/fault.tsx'
import { serverApi as texts, shell } from '../texts/index.ts'
import { AppFields } from './app-fields.tsx'
import { AppLogo } from './app-logo.tsx'
import { AppSecrets } from './app-secrets.tsx'
import { AppUsers } from './app-users.tsx'

const t = texts.apps

/** Everything that an owner can change about an app. */
export function AppSettings({ app, close }: { app: OwnApp; close: () => void }) {
  const decided = app.status === 'approved' || app.status === 'suspended'
  const save = useMutation({ mutationFn: (form: AppForm) => changeApp(app.clientId, changesOf(form, decided)) })
  const remove = useMutation({ mutationFn: () => removeApp(app.clientId) })
  return (
    <Stack className="inset">
      {app.status === 'approved' && !app.publicClient && <AppSecrets app={app} />}
      {decided && <AppUsers app={app} />}
      {!decided && <AppLogo app={app} />}
      <AppFields
        saved={formOf(app)}
        fixed={decided}
        action={shell.save}
        pending={save.isPending}
        error={save.error}
        save={(form) => save.mutate(form)}
      />
      <Text size="sm" c="dimmed" role="status">
        {save.isSuccess ? shell.saved : ''}
      </Text>
      <Fault error={remove.error} />
      <Group>
        <Button variant="default" size="xs" onClick={close}>
          {shell.close}
        </Button>
        <ConfirmButton
          label={t.remove}
          question={t.removeQuestion(app.name)}
          pending={remove.isPending}
          onConfirm={() => remove.mutate()}
        />
      </Group>
    </Stack>
  )
}

/** Only what the owner may still change is sent. */
function changesOf(form: AppForm, decided: boolean): Partial<AppForm> {
  const { name, homepage, purpose, scopes, publicClient, ...always } = form
  return decided ? always : { ...always, name, homepage, purpose, scopes, publicClient }
}

const formOf = (app: OwnApp): AppForm => ({
  name: app.name,
  homepage: app.homepage,
  purpose: app.purpose,
  redirectUris: app.proposedRedirectUris ?? app.redirectUris,
  scopes: app.scopes,
  allowedOrigins: app.allowedOrigins,
  postLogoutRedirectUris: app.postLogoutRedirectUris,
  expiringTokens: app.expiringTokens,
  s256Only: app.s256Only,
  publicClient: app.publicClient,
})
