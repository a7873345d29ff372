import { Button, Group, Stack } from '@mantine/core'
import {
  changeWebhook,
  removeWebhook,
  rotateWebhook,
  testWebhook,
  type Webhook,
  type WebhookForm,
} from '../api/webhooks.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { Fault } from '../shell/fault.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { hooks as texts, shell } from '../texts/index.ts'
import { WebhookFields } from './webhook-fields.tsx'
import { WebhookLog } from './webhook-log.tsx'

const t = texts.webhooks

interface WebhookSettingsProps {
  webhook: Webhook
  eventTypes: Record<string, string>
  onSecret: (secret: string) => void
  close: () => void
}

/** The settings and actions of a webhook, for its owner. */
export function WebhookSettings({ webhook, eventTypes, onSecret, close }: WebhookSettingsProps) {
  const { id, enabled } = webhook
  const save = useMutation({
    mutationFn: (form: WebhookForm) => changeWebhook(id, form),
    onSuccess: () => toast(shell.saved),
  })
  // Separate from the form, because it must not save the input of the form.
  const turn = useMutation({
    mutationFn: () => changeWebhook(id, { enabled: !enabled }),
    onSuccess: () => toast(shell.saved),
  })
  const rotate = useMutation({ mutationFn: () => rotateWebhook(id), onSuccess: ({ secret }) => onSecret(secret) })
  const test = useMutation({ mutationFn: () => testWebhook(id), onSuccess: () => toast(t.tested) })
  const remove = useMutation({ mutationFn: () => removeWebhook(id), onSuccess: () => toast(shell.deleted) })
  return (
    <Stack className="inset">
      <Group gap="xs">
        <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {t.test}
        </Button>
        <Button size="xs" variant="default" loading={turn.isPending} onClick={() => turn.mutate()}>
          {enabled ? t.switchOff : t.switchOn}
        </Button>
        <ConfirmButton label={t.rotate} question={t.rotateQuestion} onConfirm={() => rotate.mutate()} />
        <ConfirmButton label={t.remove} question={t.removeQuestion} onConfirm={() => remove.mutate()} />
      </Group>
      <Fault error={test.error ?? turn.error ?? rotate.error ?? remove.error} />
      <WebhookLog id={id} />
      <WebhookFields
        saved={formOf(webhook)}
        eventTypes={eventTypes}
        action={shell.save}
        pending={save.isPending}
        error={save.error}
        save={(form) => save.mutate(form)}
        cancel={close}
      />
    </Stack>
  )
}

const formOf = (webhook: Webhook): WebhookForm => ({
  url: webhook.url,
  description: webhook.description,
  events: webhook.events,
  spaceIds: webhook.spaceIds,
  starboardIds: webhook.starboardIds,
  credentialIds: webhook.credentialIds,
  minPoints: webhook.minPoints,
  top: webhook.top,
})
