import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type CreatedSince, createdSinceQuery, unlinkIdentity } from '../api/account.ts'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { account as texts, shell } from '../texts/index.ts'

const t = texts.identities

interface UnlinkProps {
  kind: string
  subject: string
  /** The accessible name. */
  name: string
  question: string
}

/** Asks before it unlinks. Offers to revoke apps and tokens created since the last sign-in with the identity. */
export function Unlink({ kind, subject, name, question }: UnlinkProps) {
  const [asking, setAsking] = useState(false)
  const [endCreated, setEndCreated] = useState(false)
  const created = useQuery({ ...createdSinceQuery(kind, subject), enabled: asking })
  const unlink = useMutation({
    mutationFn: () => unlinkIdentity(kind, subject, endCreated),
    onSuccess: () => toast(t.unlinked),
  })
  if (!asking)
    return (
      <Button variant="default" size="xs" aria-label={name} onClick={() => setAsking(true)}>
        {t.unlink}
      </Button>
    )
  return (
    <Stack gap="xs" className="inset confirm" role="group" aria-label={question}>
      <Text size="sm">{question}</Text>
      {created.isPending && <Loading rows={1} />}
      {created.data && isAny(created.data) && (
        <Checkbox
          checked={endCreated}
          onChange={(event) => setEndCreated(event.currentTarget.checked)}
          label={t.endCreated(atTime(created.data.since))}
          description={namesOf(created.data)}
        />
      )}
      {created.data && created.data.sessions > 0 && <Text size="sm">{t.sessionsEnd(created.data.sessions)}</Text>}
      <Fault error={created.error ?? unlink.error} />
      <Group gap="xs">
        <Button
          size="xs"
          color="red"
          disabled={created.isPending}
          loading={unlink.isPending}
          onClick={() => unlink.mutate()}
        >
          {t.unlink}
        </Button>
        <Button size="xs" variant="default" autoFocus onClick={() => setAsking(false)}>
          {shell.cancel}
        </Button>
      </Group>
    </Stack>
  )
}

const isAny = ({ apps, tokens }: CreatedSince) => apps.length + tokens.length > 0

const namesOf = ({ apps, tokens }: CreatedSince) =>
  [...apps.map(({ name }) => t.app(name)), ...tokens.map(({ name, type }) => t.token[type](name))].join(', ')
