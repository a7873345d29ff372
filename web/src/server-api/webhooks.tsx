import './server-api.css'
import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { createWebhook, type Webhook, webhooksQuery } from '../api/webhooks.ts'
import { onDay } from '../shell/dates.ts'
import { Empty } from '../shell/empty.tsx'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { usePageParameter } from '../shell/page-parameter.ts'
import { SecretOnce } from '../shell/secret-once.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { mayClose, FormPart, useFormPart } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { hooks as texts } from '../texts/index.ts'
import { emptyWebhook, WebhookFields } from './webhook-fields.tsx'
import { WebhookSettings } from './webhook-settings.tsx'

const t = texts.webhooks

/** `/settings/server-api/webhooks` */
export default function WebhooksPage() {
  return (
    <PageLayout title={t.title} lead={t.lead}>
      <Webhooks />
    </PageLayout>
  )
}

/** The webhooks of the account. They can be added, changed and tested here. Each shows its deliveries. */
function Webhooks() {
  const webhooks = useQuery(webhooksQuery)
  const [adding, setAdding] = useState(false)
  // It is also in the URL, so that going back from a delivery opens it again. A link that changes only the URL's
  // parameter must not close a form.
  const [named, setNamed] = usePageParameter('webhook')
  const [openId, setOpenId] = useState<string | null>(named === '' ? null : named)
  const opened = useFormPart()
  const open = (id: string | null) => {
    setOpenId(id)
    setNamed(id ?? '', { replace: true })
  }
  const [secret, setSecret] = useState<string>()
  const create = useMutation({
    mutationFn: createWebhook,
    onSuccess: ({ secret }) => {
      setSecret(secret)
      setAdding(false)
      toast(t.added)
    },
  })
  if (webhooks.isPending) return <Loading />
  if (webhooks.isLoadingError) return <LoadFailure error={webhooks.error} retry={() => void webhooks.refetch()} />
  const { webhooks: all, eventTypes } = webhooks.data
  return (
    <>
      <Fault error={webhooks.error} />
      {secret !== undefined && <SecretOnce title={t.made} value={secret} close={() => setSecret(undefined)} />}
      {all.length === 0 && !adding && (
        <Empty icon="webhook" title={t.none} text={t.noneText}>
          <Button onClick={() => setAdding(true)}>{t.add}</Button>
        </Empty>
      )}
      <FormPart value={opened}>
        {all.map((webhook) => (
          <OneWebhook
            key={webhook.id}
            webhook={webhook}
            eventTypes={eventTypes}
            isOpen={webhook.id === openId}
            // Only one webhook is open.
            open={() => mayClose(opened) && open(webhook.id)}
            close={() => open(null)}
            onSecret={setSecret}
          />
        ))}
      </FormPart>
      {adding ? (
        <Section title={t.add}>
          <WebhookFields
            saved={emptyWebhook}
            eventTypes={eventTypes}
            action={t.create}
            pending={create.isPending}
            error={create.error}
            save={(form) => create.mutate(form)}
            cancel={() => setAdding(false)}
          />
        </Section>
      ) : (
        all.length > 0 && (
          <div>
            <Button onClick={() => setAdding(true)}>{t.add}</Button>
          </div>
        )
      )}
    </>
  )
}

interface OneWebhookProps {
  webhook: Webhook
  eventTypes: Record<string, string>
  isOpen: boolean
  open: () => void
  close: () => void
  onSecret: (secret: string) => void
}

function OneWebhook({ webhook, eventTypes, isOpen, open, close, onSecret }: OneWebhookProps) {
  const { url, description, enabled, disabledReason, failingSince, events } = webhook
  const state = enabled ? t.on : t.off(disabledReason ?? '')
  const failing = failingSince === null ? '' : ` · ${t.failing(onDay(failingSince))}`
  return (
    <Section title={url} lead={`${state}${failing}${description === '' ? '' : ` · ${description}`}`}>
      <Text size="sm" className="mono">
        {events.join(', ')}
      </Text>
      {isOpen ? (
        <WebhookSettings webhook={webhook} eventTypes={eventTypes} onSecret={onSecret} close={close} />
      ) : (
        <Group>
          <Button variant="default" size="xs" aria-label={t.openNamed(url)} onClick={open}>
            {t.open}
          </Button>
        </Group>
      )}
    </Section>
  )
}
