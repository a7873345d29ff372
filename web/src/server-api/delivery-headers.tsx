import { Anchor, Text } from '@mantine/core'
import { hooks as texts } from '../texts/index.ts'

const t = texts.delivery

interface DeliveryHeadersProps {
  messageId: string
  lastAttemptAt: string | undefined
}

/** The headers of the request (server/src/webhooks/attempt.ts). Only the service and the receiver know the signature. */
export function DeliveryHeaders({ messageId, lastAttemptAt }: DeliveryHeadersProps) {
  const time = lastAttemptAt === undefined ? undefined : Math.floor(Date.parse(lastAttemptAt) / 1_000)
  const headers: readonly [name: string, value: string, note?: string][] = [
    ['content-type', 'application/json'],
    ['user-agent', 'Questboard'],
    ['webhook-id', messageId, t.headerNotes.id],
    ['webhook-timestamp', time?.toString() ?? '…', time === undefined ? t.headerNotes.time : t.headerNotes.lastTime],
    ['webhook-signature', 'v1,…', t.headerNotes.signature],
  ]
  return (
    <>
      <dl className="values delivery-headers">
        {headers.map(([name, value, note]) => (
          <div key={name}>
            <dt className="mono">{name}</dt>
            <dd>
              <code className="mono">{value}</code>
              {note !== undefined && (
                <Text size="sm" c="dimmed">
                  {note}
                </Text>
              )}
            </dd>
          </div>
        ))}
      </dl>
      <Text size="sm">
        <Anchor href="/docs/webhooks#verify-each-delivery" underline="always">
          {t.verify}
        </Anchor>
      </Text>
    </>
  )
}
