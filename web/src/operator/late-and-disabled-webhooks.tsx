import { Anchor, Badge, Text } from '@mantine/core'
import { Link } from 'wouter'
import type { LateOrDisabledWebhook } from '../api/operator.ts'
import { atTime } from '../shell/dates.ts'
import { Section } from '../shell/section.tsx'
import { operator as texts } from '../texts/operator-pages.ts'

const t = texts.health.webhooks

interface LateAndDisabledWebhooksProps {
  webhooks: readonly LateOrDisabledWebhook[]
  checkedAt: string
}

/** Late and disabled webhooks with their owners and advice. */
export function LateAndDisabledWebhooks({ webhooks, checkedAt }: LateAndDisabledWebhooksProps) {
  if (webhooks.length === 0) return null
  return (
    <Section title={t.title} lead={t.lead}>
      <ul className="rows">
        {webhooks.map((webhook) => (
          <WebhookRow key={webhook.id} webhook={webhook} checkedAt={checkedAt} />
        ))}
      </ul>
      <Text size="sm">
        <Anchor href="/docs/runbook#questboardwebhookslate" underline="always">
          {t.runbook}
        </Anchor>
      </Text>
    </Section>
  )
}

function WebhookRow({ webhook, checkedAt }: { webhook: LateOrDisabledWebhook; checkedAt: string }) {
  const { id, host, accountId, username, disabledAt, disabledReason, late, lateSince } = webhook
  return (
    <li className="row">
      <div className="row-main">
        <Text fw={500}>{host}</Text>
        <Text size="sm">
          {`${t.owner}: `}
          <Link href={`/operator/people/${accountId}`} className="text-link">
            {username ?? accountId}
          </Link>
          {' · '}
          <span className="mono">{id}</span>
        </Text>
        {disabledAt !== null && (
          <Text size="sm" className="bad">
            {`${t.disabledSince(atTime(disabledAt))}: `}
            <span lang="en">{disabledReason}</span>
          </Text>
        )}
        {lateSince !== null && (
          <Text size="sm" className="bad">
            {t.lateSince(late, atTime(lateSince))}
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {adviceOf(webhook, checkedAt)}
        </Text>
      </div>
      <Badge variant="light" color={disabledAt === null ? 'yellow' : 'red'} tt="none">
        {disabledAt === null ? t.late : t.disabled}
      </Badge>
    </li>
  )
}

function adviceOf({ disabledAt, pausedUntil, failingSince }: LateOrDisabledWebhook, checkedAt: string): string {
  if (disabledAt !== null) return t.advice.disabled
  if (pausedUntil !== null && pausedUntil > checkedAt) return t.advice.paused(atTime(pausedUntil))
  return failingSince === null ? t.advice.queued : t.advice.failing(atTime(failingSince))
}
