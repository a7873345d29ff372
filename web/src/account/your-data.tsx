import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteAccount } from '../api/account.ts'
import { exportAccount } from '../api/export.ts'
import type { Account } from '../api/session.ts'
import { download } from '../shell/download.ts'
import { Fault } from '../shell/fault.tsx'
import { Section } from '../shell/section.tsx'
import { account as texts, shell } from '../texts/index.ts'

const t = texts.data

/** Taking everything along, and leaving. */
export function YourData({ account }: { account: Account }) {
  const [leaving, setLeaving] = useState(false)
  const [typed, setTyped] = useState('')
  const take = useMutation({
    mutationFn: exportAccount,
    onSuccess: (data) => download(`questboard-${account.username}.json`, data),
  })
  const leave = useMutation({ mutationFn: deleteAccount })
  return (
    <Section title={t.title} lead={t.lead}>
      <Group>
        <Button variant="default" loading={take.isPending} onClick={() => take.mutate()}>
          {t.export}
        </Button>
        {!leaving && (
          <Button variant="subtle" color="red" onClick={() => setLeaving(true)}>
            {t.delete}
          </Button>
        )}
      </Group>
      <Fault error={take.error} />
      {leaving && (
        <Stack gap="sm" maw="28rem" className="inset">
          <Text size="sm">{t.deleteLead}</Text>
          <TextInput
            label={t.deleteConfirm(account.username)}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            autoFocus
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Group>
            <Button
              color="red"
              disabled={typed !== account.username}
              loading={leave.isPending}
              onClick={() => leave.mutate()}
            >
              {t.deleteFor}
            </Button>
            <Button variant="default" onClick={() => setLeaving(false)}>
              {shell.cancel}
            </Button>
          </Group>
          <Fault error={leave.error} />
        </Stack>
      )}
    </Section>
  )
}
