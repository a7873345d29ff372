import './server-api.css'
import { Badge, Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ApiFailure } from '../api/call.ts'
import { type DeliveryDetail, deliveryQuery, type DeliveryState, redeliver, webhooksQuery } from '../api/webhooks.ts'
import type { PageProps } from '../navigation/page.ts'
import { CodeToCopy } from '../shell/code-to-copy.tsx'
import { atSecond } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageNotFound } from '../shell/not-found.tsx'
import { Notice } from '../shell/notice.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { hooks as texts } from '../texts/index.ts'
import { DeliveryAttempts, isSuccess, resultOf } from './delivery-attempts.tsx'
import { DeliveryHeaders } from './delivery-headers.tsx'

const t = texts.delivery
const LIST = '/settings/server-api/webhooks'
const colours: Record<DeliveryState, string> = { pending: 'gray', delivered: 'teal', failed: 'red' }

/** `/settings/server-api/webhooks/:webhook/deliveries/:delivery` */
export default function DeliveryPage({ params: { webhook = '', delivery: id = '' } }: PageProps) {
  const read = useQuery(deliveryQuery(webhook, id))
  const { data: owned } = useQuery(webhooksQuery)
  if (read.isPending) return <Loading />
  if (read.error instanceof ApiFailure && read.error.status === 404)
    return <PageNotFound list={{ href: LIST, label: texts.webhooks.title }} />
  if (read.isLoadingError) return <LoadFailure error={read.error} retry={() => void read.refetch()} />
  const { url, enabled = true } = owned?.webhooks.find((one) => one.id === webhook) ?? {}
  return <Delivery webhook={{ id: webhook, url, enabled }} delivery={read.data} />
}

interface DeliveryProps {
  webhook: { id: string; url: string | undefined; enabled: boolean }
  delivery: DeliveryDetail
}

/** A message: its state, attempts, payload and headers, and a button that sends it again. */
function Delivery({ webhook, delivery }: DeliveryProps) {
  const { id, event, state, createdAt, nextAttemptAt, attempts, payload, log } = delivery
  const list = `${LIST}?webhook=${webhook.id}`
  const again = useMutation({
    mutationFn: async (attemptsBefore: number) => {
      await redeliver(webhook.id, id)
      return attemptsBefore
    },
  })
  return (
    <PageLayout
      title={event}
      lead={texts.webhooks.eventTypes[event]}
      actions={
        <Button disabled={!webhook.enabled} loading={again.isPending} onClick={() => again.mutate(attempts)}>
          {texts.webhooks.redeliver}
        </Button>
      }
    >
      {!webhook.enabled && (
        <Notice kind="warning" title={t.disabled}>
          <Button component={Link} href={list} size="xs" variant="default">
            {t.openWebhook}
          </Button>
        </Notice>
      )}
      <Fault error={again.error} />
      {again.isSuccess && <Result attempt={log.find(({ attempt }) => attempt > again.data)} />}
      <Section title={t.one}>
        <dl className="values delivery-facts">
          <div>
            <dt>{t.state}</dt>
            <dd>
              <Badge variant="light" color={colours[state]} tt="none">
                {texts.webhooks.states[state]}
              </Badge>
            </dd>
          </div>
          <div>
            <dt>{t.created}</dt>
            <dd>{atSecond(createdAt)}</dd>
          </div>
          {nextAttemptAt !== null && (
            <div>
              <dt>{t.nextAttempt}</dt>
              <dd>{atSecond(nextAttemptAt)}</dd>
            </div>
          )}
          <div>
            <dt>{t.webhook}</dt>
            <dd>
              <Link href={list} className="text-link">
                {webhook.url ?? webhook.id}
              </Link>
            </dd>
          </div>
          <div>
            <dt>{t.messageId}</dt>
            <dd className="mono">{id}</dd>
          </div>
        </dl>
      </Section>
      <Section title={t.attempts}>
        {log.length === 0 ? <Text size="sm">{t.noAttempts}</Text> : <DeliveryAttempts log={log} />}
      </Section>
      <Section title={t.payload} lead={t.payloadLead}>
        <CodeToCopy code={indented(payload)} copied={payload} name={t.copyPayload} />
      </Section>
      <Section title={t.headers} lead={t.headersLead}>
        <DeliveryHeaders messageId={id} lastAttemptAt={log.at(-1)?.startedAt} />
      </Section>
    </PageLayout>
  )
}

/** The result of a message that was sent again, as soon as there is one. */
function Result({ attempt }: { attempt: DeliveryDetail['log'][number] | undefined }) {
  if (!attempt) return <Notice title={t.sending} />
  const result = resultOf(attempt)
  return isSuccess(attempt) ? (
    <Notice kind="good" title={t.accepted(attempt.attempt, result)} />
  ) : (
    <Notice kind="warning" title={t.refused(attempt.attempt, result)} />
  )
}

function indented(payload: string): string {
  return JSON.stringify(JSON.parse(payload), null, 2)
}
