import { Button, Stack, Text, Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { deliveriesQuery, type Delivery, redeliver } from '../api/webhooks.ts'
import { Link } from 'wouter'
import { atTime } from '../shell/dates.ts'
import { Empty } from '../shell/empty.tsx'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { MoreButton } from '../shell/more-button.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { hooks as texts, shell } from '../texts/index.ts'

const t = texts.webhooks

/** The messages of a webhook, newest first, with their results. Each is a link to its payload, and has a button that sends it again. */
export function WebhookLog({ id }: { id: string }) {
  const log = useInfiniteQuery(deliveriesQuery(id))
  const again = useMutation({
    mutationFn: (delivery: string) => redeliver(id, delivery),
    onSuccess: () => toast(t.resent),
  })
  const deliveries = log.data?.pages.flatMap((page) => page.deliveries) ?? []
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {t.log}
      </Title>
      {log.isPending && <Loading rows={2} />}
      {log.isSuccess && deliveries.length === 0 && <Empty icon="webhook" title={t.noLog} text={t.noLogText} />}
      <ul className="rows">
        {deliveries.map((delivery) => (
          <li key={delivery.id} className="row">
            <div className="row-main">
              <Link href={`/settings/server-api/webhooks/${id}/deliveries/${delivery.id}`} className="text-link mono">
                {delivery.event}
              </Link>
              <Text size="sm" c="dimmed">
                {outcomeOf(delivery)}
              </Text>
            </div>
            <Button
              size="xs"
              variant="default"
              aria-label={t.redeliverNamed(delivery.id)}
              loading={again.isPending && again.variables === delivery.id}
              onClick={() => again.mutate(delivery.id)}
            >
              {t.redeliver}
            </Button>
          </li>
        ))}
      </ul>
      <MoreButton list={log} label={shell.more} size="xs" />
      <Fault error={log.error ?? again.error} />
    </Stack>
  )
}

function outcomeOf({ state, createdAt, attempts, lastStatus, lastError, nextAttemptAt }: Delivery): string {
  const last = lastError ?? (lastStatus === null ? undefined : `HTTP ${lastStatus}`)
  const next = state === 'pending' && nextAttemptAt !== null ? t.next(atTime(nextAttemptAt)) : undefined
  return [t.states[state], atTime(createdAt), t.attempts(attempts), last, next]
    .filter((part) => part !== undefined)
    .join(' · ')
}
