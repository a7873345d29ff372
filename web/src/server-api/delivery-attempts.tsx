import { Badge, Text } from '@mantine/core'
import type { DeliveryAttempt } from '../api/webhooks.ts'
import { atSecond } from '../shell/dates.ts'
import { hooks as texts, serverApi } from '../texts/index.ts'

const t = texts.delivery
const { milliseconds } = serverApi.requests

export const isSuccess = ({ status }: DeliveryAttempt) => status !== null && status >= 200 && status < 300

const statusOf = ({ status }: DeliveryAttempt) => (status === null ? t.noResponse : `HTTP ${status}`)

/** The result in one line: "HTTP 204, 12 ms". */
export function resultOf(attempt: DeliveryAttempt): string {
  const parts = [statusOf(attempt), milliseconds(attempt.durationMs)]
  if (attempt.status === null && attempt.error !== null) parts.push(attempt.error)
  return parts.join(', ')
}

/** The attempts, newest first, each with the beginning of the response. */
export function DeliveryAttempts({ log }: { log: readonly DeliveryAttempt[] }) {
  return (
    <ul className="rows">
      {log.toReversed().map((attempt, place) => (
        <li key={attempt.attempt} className="row">
          <div className="row-main">
            <Text fw={500}>{t.attempt(attempt.attempt)}</Text>
            <Text size="sm" c="dimmed">
              {`${atSecond(attempt.startedAt)} · ${milliseconds(attempt.durationMs)}`}
            </Text>
          </div>
          <Badge variant="light" color={isSuccess(attempt) ? 'teal' : 'red'} tt="none">
            {statusOf(attempt)}
          </Badge>
          <div className="attempt-response">
            <Response attempt={attempt} open={place === 0} />
          </div>
        </li>
      ))}
    </ul>
  )
}

function Response({ attempt: { status, error, response }, open }: { attempt: DeliveryAttempt; open: boolean }) {
  if (status === null)
    return (
      <Text size="sm" className="bad" lang="en">
        {error}
      </Text>
    )
  if (response === '')
    return (
      <Text size="sm" c="dimmed">
        {t.noBody}
      </Text>
    )
  return (
    <details open={open} className="small-details">
      <summary>{t.response}</summary>
      <pre className="code" tabIndex={0}>
        {response}
      </pre>
    </details>
  )
}
