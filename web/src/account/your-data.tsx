import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { deleteAccount } from '../api/account.ts'
import { exportAccount } from '../api/export.ts'
import type { Account } from '../api/session.ts'
import { destructive } from '../shell/destructive.ts'
import { download } from '../shell/download.ts'
import { Fault } from '../shell/fault.tsx'
import { Section } from '../shell/section.tsx'
import { TypedConfirmation } from '../shell/typed-confirmation.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { account as texts } from '../texts/index.ts'

const t = texts.data

/** Exports the data of the account, or deletes the account. */
export function YourData({ account }: { account: Account }) {
  const [leaving, setLeaving] = useState(false)
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
          <Button {...destructive} onClick={() => setLeaving(true)}>
            {t.delete}
          </Button>
        )}
      </Group>
      <Fault error={take.error} />
      {leaving && (
        <TypedConfirmation
          lead={t.deleteLead}
          expected={account.username}
          label={t.deleteConfirm(account.username)}
          action={t.deleteFor}
          pending={leave.isPending}
          error={leave.error}
          onConfirm={() => leave.mutate()}
          cancel={() => setLeaving(false)}
        />
      )}
    </Section>
  )
}
