import { Text } from '@mantine/core'
import { deletePersonWebhook, type PersonProfile, revokePersonToken } from '../api/people.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { hooks, serverApi } from '../texts/index.ts'
import { people as texts } from '../texts/operator-pages.ts'

const isLive = ({ revokedAt }: { revokedAt: string | null }) => revokedAt === null

/** The tokens and webhooks of an account, each of which an operator can end. */
export function PersonAccess({ person: { id, tokens, ingestTokens, webhooks } }: { person: PersonProfile }) {
  const t = serverApi.tokens
  const rows = [
    ...tokens
      .filter(isLive)
      .map((token) => ({ ...token, kind: 'tokens', about: texts.serverToken(token.plan) }) as const),
    ...ingestTokens
      .filter(isLive)
      .map((token) => ({ ...token, kind: 'ingest-tokens', about: texts.ingestToken }) as const),
  ]
  return (
    <>
      <Section title={texts.tokens}>
        {rows.length === 0 && <Text c="dimmed">{texts.noTokens}</Text>}
        <ul className="rows">
          {rows.map(({ tokenId, kind, name, about, lastUsedAt }) => (
            <Row
              key={tokenId}
              name={name}
              about={`${about} · ${lastUsedAt === null ? texts.neverUsed : texts.used(atTime(lastUsedAt))}`}
              label={t.revoke}
              action={t.revokeNamed(name)}
              question={t.revokeQuestion}
              done={texts.tokenRevoked(name)}
              end={() => revokePersonToken(id, kind, tokenId)}
            />
          ))}
        </ul>
      </Section>
      <Section title={texts.webhooks}>
        {webhooks.length === 0 && <Text c="dimmed">{texts.noWebhooks}</Text>}
        <ul className="rows">
          {webhooks.map(({ webhookId, host, description, events, disabledReason }) => (
            <Row
              key={webhookId}
              name={description === '' ? host : `${host} · ${description}`}
              about={[...(disabledReason === null ? [] : [hooks.webhooks.off(disabledReason)]), ...events].join(' · ')}
              label={hooks.webhooks.remove}
              action={texts.deleteWebhook(host)}
              question={hooks.webhooks.removeQuestion}
              done={texts.webhookDeleted(host)}
              end={() => deletePersonWebhook(id, webhookId)}
            />
          ))}
        </ul>
      </Section>
    </>
  )
}

interface RowProps {
  name: string
  about: string
  label: string
  /** The label for screen readers. */
  action: string
  question: string
  done: string
  end: () => Promise<void>
}

function Row({ name, about, label, action, question, done, end }: RowProps) {
  const ending = useMutation({ mutationFn: end, onSuccess: () => toast(done) })
  return (
    <li className="row">
      <div className="row-main">
        <Text fw={500}>{name}</Text>
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {about}
        </Text>
        <Fault error={ending.error} />
      </div>
      <ConfirmButton
        label={label}
        name={action}
        question={question}
        pending={ending.isPending}
        onConfirm={() => ending.mutate()}
      />
    </li>
  )
}
