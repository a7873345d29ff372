import { Badge, Button, Group, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import type { AppStatus } from '../api/apps.ts'
import { ApiFailure } from '../api/call.ts'
import { decideApp, type Decision, type ReviewedApp as App } from '../api/operator.ts'
import { atRevision } from '../apps/app-logo.tsx'
import { nameOfScope } from '../consent/scope-name.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { onDay } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { Notice } from '../shell/notice.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { useUnsaved } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { serverApi } from '../texts/index.ts'
import { operator as texts } from '../texts/operator-pages.ts'

const t = texts.apps
const colours: Record<AppStatus, string> = { pending: 'yellow', approved: 'teal', refused: 'red', suspended: 'red' }
const decisions: Record<AppStatus, Decision[]> = {
  pending: ['approve', 'refuse'],
  approved: ['suspend', 'refuse'],
  refused: ['approve'],
  suspended: ['resume'],
}

/** Only with the reason can the owner know what to change. */
const needsReason: ReadonlySet<Decision> = new Set(['refuse', 'refuse-changes'])
const isAboutChanges = (decision: Decision) => decision === 'accept-changes' || decision === 'refuse-changes'

/** Shows an app to an operator, with buttons that decide about the shown revision. */
export function AppReview({ app }: { app: App }) {
  const [reason, setReason] = useState('')
  const [reasonIsMissing, setReasonIsMissing] = useState(false)
  useUnsaved(reason.trim() !== '')
  const decide = useMutation({
    mutationFn: (decision: Decision) =>
      decideApp(app.clientId, decision, { reason: reason.trim(), revision: app.revision }),
    onSuccess(_, decision) {
      setReason('')
      toast(t.decided(labelOf(decision), app.name))
    },
  })
  const proposed = app.proposedDetails
  /** Whether the decision takes the app offline. */
  const ends = (decision: Decision) => app.status === 'approved' && !isAboutChanges(decision)
  const labelOf = (decision: Decision) => (ends(decision) && decision === 'refuse' ? t.withdraw : t.decisions[decision])
  const confirm = (decision: Decision) => {
    const isMissing = needsReason.has(decision) && reason.trim() === ''
    setReasonIsMissing(isMissing)
    if (!isMissing) decide.mutate(decision)
  }
  const changed = decide.error instanceof ApiFailure && decide.error.code === 'app_changed'
  return (
    <Section title={app.name}>
      <Group gap="sm">
        {app.logo !== null && <img src={atRevision(app.logo, app.revision)} alt="" width={32} height={32} />}
        <Badge variant="light" color={colours[app.status]} tt="none">
          {serverApi.apps.status[app.status]}
        </Badge>
        <Text size="sm" c="dimmed">
          {t.revision(app.revision)}
        </Text>
        {app.statusReason !== '' && <Text size="sm">{serverApi.apps.reason(app.statusReason)}</Text>}
      </Group>
      <dl className="values">
        {proposed?.name !== undefined && <Value name={t.proposed(serverApi.apps.form.name)}>{proposed.name}</Value>}
        {app.purpose !== '' && <Value name={t.purpose}>{app.purpose}</Value>}
        {proposed?.purpose !== undefined && <Value name={t.proposed(t.purpose)}>{proposed.purpose}</Value>}
        {app.homepage !== '' && <Value name={t.homepage}>{app.homepage}</Value>}
        {proposed?.homepage !== undefined && (
          <Value name={t.proposed(t.homepage)}>{proposed.homepage === '' ? t.nothing : proposed.homepage}</Value>
        )}
        {app.proposedLogo !== null && (
          <Value name={t.proposed(serverApi.apps.logo)}>
            <img
              src={atRevision(app.proposedLogo, app.revision)}
              alt={serverApi.apps.logoOf(app.proposedDetails?.name ?? app.name)}
              width={32}
              height={32}
            />
          </Value>
        )}
        <Uris name={t.redirects} uris={app.redirectUris} />
        {app.proposedRedirectUris && <Uris name={t.proposed(t.redirects)} uris={app.proposedRedirectUris} />}
        {app.backchannelLogoutUri !== null && <Uris name={t.logoutUri} uris={[app.backchannelLogoutUri]} />}
        {app.proposedBackchannelLogoutUri !== null && (
          <Uris name={t.proposed(t.logoutUri)} uris={[app.proposedBackchannelLogoutUri]} />
        )}
        {app.metadataUrl !== null && <Uris name={t.metadata} uris={[app.metadataUrl]} />}
        {app.publicClient && <Value name={serverApi.apps.kind}>{serverApi.apps.withoutServer}</Value>}
        {app.subjectType === 'pairwise' && (
          <Value name={serverApi.apps.userIds}>{serverApi.apps.subjectTypes.pairwise}</Value>
        )}
        <Value name={t.scopes}>{app.scopes.map(nameOfScope).join(', ') || t.nothing}</Value>
        {proposed?.scopes !== undefined && (
          <Value name={t.proposed(t.scopes)}>{proposed.scopes.map(nameOfScope).join(', ') || t.nothing}</Value>
        )}
        {app.metadataUrl === null && (
          <Value name={t.owner}>
            <Link href={`/operator/people/${app.ownerAccountId}`} className="text-link">
              {app.owner ?? <span className="mono">{app.ownerAccountId}</span>}
            </Link>
          </Value>
        )}
        <Value name={serverApi.apps.clientId}>
          <span className="mono">{app.clientId}</span>
        </Value>
        <Value name={t.applied}>{onDay(app.createdAt)}</Value>
      </dl>
      <div className="line-form">
        <TextInput
          label={t.reason}
          value={reason}
          error={reasonIsMissing && reason.trim() === '' && t.reasonMissing}
          onChange={(event) => setReason(event.currentTarget.value)}
          maxLength={500}
          className="wide-field"
        />
        {decisionsOn(app).map((decision) => {
          const label = labelOf(decision)
          const button = {
            label,
            name: t.decisionNamed(label, app.name),
            pending: decide.isPending && decide.variables === decision,
          }
          return ends(decision) ? (
            <ConfirmButton
              key={decision}
              {...button}
              size="sm"
              question={decision === 'refuse' ? t.withdrawQuestion(app.name) : t.suspendQuestion(app.name)}
              onConfirm={() => confirm(decision)}
            />
          ) : (
            <Button
              key={decision}
              variant={needsReason.has(decision) ? 'default' : 'filled'}
              aria-label={button.name}
              loading={button.pending}
              onClick={() => confirm(decision)}
            >
              {label}
            </Button>
          )
        })}
      </div>
      {changed ? <Notice kind="warning" title={t.changed} /> : <Fault error={decide.error} />}
    </Section>
  )
}

function Value({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Uris({ name, uris }: { name: string; uris: string[] }) {
  return (
    <div>
      <dt>{name}</dt>
      {uris.map((uri) => (
        <dd key={uri} className="mono">
          {uri}
        </dd>
      ))}
    </div>
  )
}

const decisionsOn = (app: App): Decision[] => [
  ...(proposes(app) ? (['accept-changes', 'refuse-changes'] as const) : []),
  ...decisions[app.status],
]

const proposes = ({ proposedRedirectUris, proposedBackchannelLogoutUri, proposedDetails, proposedLogo }: App) =>
  [proposedRedirectUris, proposedBackchannelLogoutUri, proposedDetails, proposedLogo].some((change) => change !== null)
