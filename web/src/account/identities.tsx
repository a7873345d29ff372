import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { kindsQuery } from '../api/identity-kinds.ts'
import type { Account } from '../api/session.ts'
import { onDay } from '../shell/dates.ts'
import { Empty } from '../shell/empty.tsx'
import { Section } from '../shell/section.tsx'
import { explainCode } from '../sign-in/explain.ts'
import { KindMark } from '../sign-in/kind-mark.tsx'
import { SignInPanel } from '../sign-in/panel.tsx'
import { useRedirectAnswer } from '../sign-in/return-to.ts'
import { account as texts, shell, signIn } from '../texts/index.ts'
import { EligibilitySwitch } from './eligibility-switch.tsx'
import { Unlink } from './unlink.tsx'

const t = texts.identities

interface Row {
  kind: string
  subject: string
  name: string
  note: string
  question: string
  useForEligibility: boolean | null
}

/** Lists identities and passkeys, with buttons to link and unlink them. */
export function Identities({ account }: { account: Account }) {
  const answer = useRedirectAnswer()
  const before = answer.merging ? undefined : answer.error
  const [linking, setLinking] = useState(before !== undefined)
  const rows = rowsOf(account)
  const disabledKinds = useQuery(kindsQuery).data?.off.map(({ kind }) => kind) ?? []
  return (
    <Section title={t.title} lead={t.lead}>
      {rows.length === 0 && <Empty icon="key" title={t.none} text={t.noneText} />}
      <ul className="rows">
        {rows.map((row) => (
          <li key={`${row.kind} ${row.subject}`} className="row">
            <KindMark kind={row.kind} />
            <div className="row-main">
              <Text fw={500}>{signIn.kinds[row.kind] ?? row.kind}</Text>
              <Text size="sm" className={row.kind === 'ServiceID' ? undefined : 'mono'}>
                {row.name}
              </Text>
              <Text size="xs" c="dimmed">
                {row.note}
              </Text>
              {disabledKinds.includes(row.kind) && <Text size="xs">{t.kindOff}</Text>}
              {row.useForEligibility !== null && (
                <EligibilitySwitch
                  kind={row.kind}
                  subject={row.subject}
                  checked={row.useForEligibility}
                  name={t.useForEligibilityNamed(`${signIn.kinds[row.kind] ?? row.kind} ${row.name}`)}
                />
              )}
            </div>
            <Unlink
              kind={row.kind}
              subject={row.subject}
              name={t.unlinkNamed(`${signIn.kinds[row.kind] ?? row.kind} ${row.name}`)}
              question={row.question}
            />
          </li>
        ))}
      </ul>
      {linking ? (
        <div className="inset">
          <SignInPanel
            purpose="link"
            returnTo="/account"
            fault={before === undefined ? undefined : explainCode(before)}
            onDone={() => setLinking(false)}
          />
          <Button variant="subtle" mt="sm" onClick={() => setLinking(false)}>
            {shell.close}
          </Button>
        </div>
      ) : (
        <div>
          <Button variant="light" onClick={() => setLinking(true)}>
            {t.add}
          </Button>
        </div>
      )}
    </Section>
  )
}

function rowsOf({ identities, passkeys }: Account): Row[] {
  return [
    ...passkeys.map(({ id, createdAt, lastUsedAt }) => ({
      kind: 'ServiceID',
      subject: id,
      name: onDay(createdAt),
      note: lastUsedAt === null ? '' : t.passkeyUsed(onDay(lastUsedAt)),
      question: t.confirmPasskey,
      useForEligibility: null,
    })),
    ...identities.map(({ kind, subject, username, linkedAt, useForEligibility }) => ({
      kind,
      subject,
      name: username ?? subject,
      note: t.linked(onDay(linkedAt)),
      question: t.confirm(username ?? shorten(subject)),
      useForEligibility,
    })),
  ]
}

const KEPT = 16

const shorten = (text: string) => (text.length > KEPT ? `${text.slice(0, 8)}…${text.slice(-6)}` : text)
