import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { appQuery, changeApp, type OwnApp, removeApp } from '../api/apps.ts'
import { SettingsForm } from '../server-api/settings-form.tsx'
import { nameOfScope } from '../consent/scope-name.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { CopyValues } from '../shell/copy-values.tsx'
import { onDay } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { useFaults } from '../shell/form-faults.tsx'
import { Notice } from '../shell/notice.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { forgetUnsaved } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { serverApi as texts, shell } from '../texts/index.ts'
import { detailsOf, isDecided } from './app-form.ts'
import { AppLogo, atRevision } from './app-logo.tsx'
import { DetailsFields } from './details-fields.tsx'

const t = texts.apps

/** The details of an app, and the next step of its owner. */
export function AppOverview({ app }: { app: OwnApp }) {
  return (
    <>
      <NextStep app={app} />
      <Section title={t.facts}>
        <CopyValues values={[{ name: t.clientId, value: app.clientId }]} />
        <dl className="values">
          <div>
            <dt>{t.kind}</dt>
            <dd>{app.publicClient ? t.withoutServer : t.withServer}</dd>
          </div>
          <div>
            <dt>{t.userIds}</dt>
            <dd>{t.subjectTypes[app.subjectType]}</dd>
          </div>
          <div>
            <dt>{t.form.scopes}</dt>
            <dd>{app.scopes.map(nameOfScope).join(', ')}</dd>
          </div>
          <div>
            <dt>{t.registered}</dt>
            <dd>{onDay(app.createdAt)}</dd>
          </div>
        </dl>
      </Section>
      <AppDetails app={app} />
      <Removal app={app} />
    </>
  )
}

function NextStep({ app }: { app: OwnApp }) {
  const { clientId, status, publicClient } = app
  const secrets = useQuery({ ...appQuery(clientId), enabled: status === 'approved' && !publicClient }).data?.secrets
  const needsSecret = secrets?.length === 0
  const base = `/settings/server-api/apps/${clientId}`
  if (status !== 'approved') return <Notice kind="warning" title={t.next[status]} />
  return (
    <Notice kind="good" title={needsSecret ? t.next.secret : t.next.approved}>
      <Button component={Link} href={`${base}/${needsSecret ? 'secrets' : 'integration'}`} size="xs">
        {needsSecret ? t.tabs.secrets : t.tabs.integration}
      </Button>
    </Notice>
  )
}

function AppDetails({ app }: { app: OwnApp }) {
  const [form, setForm] = useState(() => detailsOf(app))
  const save = useMutation({
    mutationFn: () => changeApp(app.clientId, form),
    onSuccess: () => toast(shell.saved),
  })
  const faultOf = useFaults({ pending: save.isPending, error: save.error }, form)
  return (
    <Section title={t.details} lead={isDecided(app) ? t.form.fixed : t.form.reviewed}>
      {hasProposal(app) && <CurrentDetails app={app} />}
      <AppLogo app={app} />
      <SettingsForm
        form={form}
        action={shell.save}
        pending={save.isPending}
        error={save.error}
        submit={() => save.mutate()}
      >
        <DetailsFields form={form} change={(changes) => setForm({ ...form, ...changes })} faultOf={faultOf} />
      </SettingsForm>
    </Section>
  )
}

/** What users see until an operator decides. */
function CurrentDetails({ app }: { app: OwnApp }) {
  return (
    <Notice kind="warning" title={t.form.proposedDetails}>
      {t.form.proposedDetailsHelp}
      <dl className="values">
        <div>
          <dt>{t.form.name}</dt>
          <dd>{app.name}</dd>
        </div>
        {app.homepage !== '' && (
          <div>
            <dt>{t.form.homepage}</dt>
            <dd>{app.homepage}</dd>
          </div>
        )}
        <div>
          <dt>{t.form.purpose}</dt>
          <dd>{app.purpose}</dd>
        </div>
        {app.logo !== null && (
          <div>
            <dt>{t.logo}</dt>
            <dd>
              <img src={atRevision(app.logo, app.revision)} alt={t.logoOf(app.name)} width={48} height={48} />
            </dd>
          </div>
        )}
      </dl>
    </Notice>
  )
}

/** Whether details of this page wait for an operator; the scopes are on another one. */
function hasProposal({ proposedDetails, proposedLogo }: OwnApp): boolean {
  const { name, homepage, purpose } = proposedDetails ?? {}
  return proposedLogo !== null || [name, homepage, purpose].some((value) => value !== undefined)
}

function Removal({ app }: { app: OwnApp }) {
  const [, navigate] = useLocation()
  const remove = useMutation({
    mutationFn: () => removeApp(app.clientId),
    // An option of useMutation, because this page ends with the app.
    onSuccess: () => {
      toast(shell.deleted)
      forgetUnsaved()
      navigate('/settings/server-api/apps')
    },
  })
  return (
    <Section title={t.remove}>
      <Text size="sm">{t.removeLead}</Text>
      <Fault error={remove.error} />
      <div>
        <ConfirmButton
          label={t.remove}
          question={t.removeQuestion(app.name)}
          pending={remove.isPending}
          onConfirm={() => remove.mutate()}
        />
      </div>
    </Section>
  )
}
